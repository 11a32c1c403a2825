#!/usr/bin/env bash
# Measures the context of local search, without model calls, on a generated graph (fixed seed), and prints a markdown
# table: embedded, and on Neo4j with Qdrant's engine.
#
#   scripts/bench-query.sh [embedded|services]...     both where nothing is named
#   scripts/bench-query.sh copies INDEX               an index of microsoft/graphrag of a Christmas Carol, and 20 copies of it
#                                                     (needs PyPI pyarrow)
#
# 100,000 entities, 500,000 relationships, 50,000 text units, 500 questions one at a time and then 16 at once; GRAPHWRIGHT_BENCH_
# ENTITIES, RELATIONSHIPS, UNITS, QUESTIONS and AT_ONCE change that, COMMUNITIES=1 finds communities and writes their reports too.
# WORK (default target/bench-query) keeps what was loaded; remove it to load anew. BENCH names a driver that is built already.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
work=${WORK:-$root/target/bench-query}
bolt_port=${BOLT_PORT:-17887} http_port=${HTTP_PORT:-17874} qdrant_port=${QDRANT_PORT:-16834}
[[ $# -gt 0 ]] || set -- embedded services
mkdir -p "$work"
unset NEO4J_URI QDRANT_URL

driver() {
    if [[ -n ${BENCH:-} ]]; then "$BENCH" "$@"; else cargo bench --quiet --bench query -- "$@"; fi
}

measure() {
    local data=$work/$1
    if [[ ! -e $data/loaded ]]; then
        mkdir -p "$data"
        driver load "$data" ${COMMUNITIES:+--communities}
        touch "$data/loaded"
    fi
    driver ask "$data"
}

stop_services() {
    scripts/neo4j.sh stop --data "$work/neo4j" || true
    scripts/qdrant.sh stop --data "$work/qdrant" || true
}

questions_of_the_carol() {
    sed -n '/^QUESTIONS = \[/,/^]/s/^ *"\(.*\)",$/\1/p' tests/benches/query/side_by_side.py
}

# Imports an index of microsoft/graphrag and asks the ten questions of it.
measure_import() { # NAME INDEX
    local program=${PROGRAM:-$root/target/release/graphwright}
    [[ -x $program ]] || cargo build --quiet --release
    rm -rf "${work:?}/$1"
    "$program" --data "$work/$1" --workspace "$1" --quiet import --from graphrag "$2" >&2
    questions_of_the_carol >"$work/questions.txt"
    driver ask "$work/$1" "$1" "$work/questions.txt"
}

echo "| stores | reports | p50 ms | p95 ms | slowest ms | CPU ms of the client | questions/s at 16 | records packed | tokens packed |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
if [[ $1 == copies ]]; then
    index=$(cd "${2:?INDEX}" && pwd)
    measure_import carol "$index"
    python3 tests/benches/query/copies.py "$index" "$work/copies" 20
    measure_import carol20 "$work/copies"
    exit
fi
for stores in "$@"; do
    case $stores in
    embedded) measure embedded ;;
    services)
        trap stop_services EXIT
        NEO4J_HEAP=2g NEO4J_PAGECACHE=1g \
            scripts/neo4j.sh start --bolt-port "$bolt_port" --http-port "$http_port" --data "$work/neo4j" >&2
        scripts/qdrant.sh start --port "$qdrant_port" --http-port "$((qdrant_port - 1))" --data "$work/qdrant" >&2
        NEO4J_URI=neo4j://localhost:$bolt_port QDRANT_URL=http://localhost:$qdrant_port measure services
        ;;
    *) echo "scripts/bench-query.sh: embedded or services, not $stores" >&2; exit 2 ;;
    esac
done
