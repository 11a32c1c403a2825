#!/usr/bin/env bash
# Runs every test, those against real services included: starts Neo4j and Qdrant on ports and data of their own, and
# stops them at the end. Arguments go to cargo test; the exit code is that of the tests. NEO4J_VERSION [5.26.30, with the
# Graph Data Science plugin].
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# The first port from $1 on that nobody listens on.
free_port() {
    local port=$1
    while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 10)); done
    printf '%s\n' "$port"
}

stop_services() {
    scripts/neo4j.sh wipe --data "$1/neo4j" || true
    scripts/qdrant.sh wipe --data "$1/qdrant" || true
    rm -rf "$1"
}

# What a run that was killed left behind.
for left in "$root"/.services/test-*; do
    [[ -d $left ]] || continue
    case $(ps -ww -p "${left##*-}" -o args=) in
    *defunct*) stop_services "$left" ;;
    *test.sh*) ;; # another run, going on
    *) stop_services "$left" ;;
    esac
done

data=$root/.services/test-$$
bolt_port=$(free_port 17687)
http_port=$(free_port 17474)
qdrant_port=$(free_port 16334)
qdrant_http_port=$(free_port 16333)

trap 'stop_services "$data"' EXIT
trap 'exit 130' INT TERM

plugin=()
if [[ -z ${NEO4J_VERSION:-} ]]; then
    plugin=(--gds 2.13.9)
    export GRAPHWRIGHT_TEST_GDS=1
fi
# so little that what is written at once must be able to be written in parts
export NEO4J_TRANSACTION_MEMORY=${NEO4J_TRANSACTION_MEMORY:-32m}
# the same server speaks Bolt with and without TLS
tls=()
if command -v openssl >/dev/null; then
    mkdir -p "$data"
    tls=(--tls "$data/tls")
    export GRAPHWRIGHT_TEST_NEO4J_CA=$data/tls/ca.pem
else
    echo "scripts/test.sh: Neo4j is not tested over TLS, for want of openssl" >&2
fi
scripts/neo4j.sh start --bolt-port "$bolt_port" --http-port "$http_port" --data "$data/neo4j" "${tls[@]}" \
    ${NEO4J_VERSION:+--version "$NEO4J_VERSION"} "${plugin[@]}" ||
    { echo "scripts/test.sh: no tests were run, because Neo4j did not start (see above)" >&2; exit 1; }
scripts/qdrant.sh start --port "$qdrant_port" --http-port "$qdrant_http_port" --data "$data/qdrant" ||
    { echo "scripts/test.sh: no tests were run, because Qdrant did not start (see above)" >&2; exit 1; }

# one test compares the embedding model with its reference; it says so where it is skipped
scripts/embedding-model.sh >/dev/null || echo "scripts/test.sh: going on without the embedding model" >&2
export GRAPHWRIGHT_TEST_NEO4J_URI=neo4j://localhost:$bolt_port
export GRAPHWRIGHT_TEST_QDRANT_URL=http://localhost:$qdrant_port
# a panic says its file and line; backtraces of some tests leave no room for what the others say in a record that is cut
export RUST_BACKTRACE=${RUST_BACKTRACE:-0}
# large pages of memory for the tests and for what they start, as the compiler has them: see .cargo/config.toml
export GLIBC_TUNABLES=${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1}
# with the places where tests end the program: tests/it/crash.rs
cargo test --locked --features failpoints "$@"
