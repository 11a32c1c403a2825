#!/usr/bin/env bash
# Measures indexing with a model against microsoft/graphrag 3.3.0: the same 1 MB corpus, the same scripted endpoint, one
# run. Prints markdown tables.
#
#   scripts/bench-graphrag.sh [SHARED]
#
# SHARED (default ../shared) holds bench/graphrag (corpus and endpoint) and data. PARTS (default "ours peer faults
# estimate") chooses what is measured, SERVICES=neo4j://host:7687,http://host:6334 adds a run on Neo4j and Qdrant, LATE_S
# (default 120) is how late a late reply is, PORT the endpoint's port, WORK (default target/bench-graphrag) keeps what is
# built. The peer takes some ten minutes of CPU time; PEER_RUNS=2 leaves out those with its memory profiler, one minute.
# ESTIMATES (names of the last table's corpora, separated by ;) chooses among them.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
shared=$(cd "${1:-$root/../shared}" && pwd)
work=${WORK:-$root/target/bench-graphrag}
mkdir -p "$work"

(cd "$root" && cargo build --quiet --release --locked)
if [ ! -x "$work/venv/bin/python" ]; then
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet aiohttp numpy
fi
case " ${PARTS:-ours peer faults estimate} " in
*" peer "*) [ -x "$work/venv/bin/graphrag" ] || "$work/venv/bin/pip" install --quiet graphrag==3.3.0 ;;
esac

exec "$work/venv/bin/python" -B "$root/tests/benches/graphrag/bench.py" "$shared" "$work" \
    "${CARGO_TARGET_DIR:-$root/target}/release/graphwright"
