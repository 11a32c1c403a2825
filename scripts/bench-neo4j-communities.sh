#!/usr/bin/env bash
# Measures what the community stage reads from and writes to a real Neo4j: starts one, fills it, prints, stops it.
#
#   scripts/bench-neo4j-communities.sh
#
# BOLT_PORT (18687) and HTTP_PORT (18474) choose ports, DATA (a temporary folder) the server's data. Release build;
# PROFILE= is for the other one.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
data=${DATA:-$(mktemp -d)}
bolt=${BOLT_PORT:-18687}
read -r -a profile <<<"${PROFILE---release}"
trap '"$root/scripts/neo4j.sh" wipe --data "$data" >&2 || true' EXIT
"$root/scripts/neo4j.sh" start --bolt-port "$bolt" --http-port "${HTTP_PORT:-18474}" --data "$data" >&2
GRAPHWRIGHT_BENCH=1 GRAPHWRIGHT_TEST_NEO4J_URI="neo4j://localhost:$bolt" \
    cargo test "${profile[@]}" --quiet --manifest-path "$root/Cargo.toml" --test it neo4j::speed -- --nocapture
