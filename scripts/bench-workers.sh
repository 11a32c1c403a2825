#!/usr/bin/env bash
# Measures how reading is shared out: 1, 2, 4 and 8 `index` processes on Neo4j and Qdrant's engine, with an endpoint that
# takes 200 ms, and prints a markdown table: texts a second between the first and the last call to read, what share that is
# of one worker's times the workers, and the tokens of the busiest minute.
#
#   scripts/bench-workers.sh [COUNT]...     1 2 4 8 where none is named
#
# TEXTS (240) texts of one text unit, CONCURRENCY (2) calls at once a worker, TPM (0: no limit) tokens a minute for all.
# PROGRAM names a graphwright that is built already; WORK (default target/bench-workers) is made anew.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
work=${WORK:-$root/target/bench-workers}
texts=${TEXTS:-240} concurrency=${CONCURRENCY:-2} tpm=${TPM:-0}
bolt_port=${BOLT_PORT:-18887} http_port=${HTTP_PORT:-18874} qdrant_port=${QDRANT_PORT:-18834}
model_port=${MODEL_PORT:-18880}
program=${PROGRAM:-$root/target/release/graphwright}
[[ -x $program ]] || cargo build --quiet --release
[[ $# -gt 0 ]] || set -- 1 2 4 8
rm -rf "$work"
mkdir -p "$work/docs"
unset NEO4J_URI QDRANT_URL

model_pid=
stop_all() {
    [[ -z $model_pid ]] || kill "$model_pid" 2>/dev/null || true
    scripts/neo4j.sh stop --data "$work/neo4j" >&2 || true
    scripts/qdrant.sh stop --data "$work/qdrant" >&2 || true
}
trap stop_all EXIT

python3 tests/benches/workers/texts.py "$work/docs" "$texts"
scripts/neo4j.sh start --bolt-port "$bolt_port" --http-port "$http_port" --data "$work/neo4j" >&2
scripts/qdrant.sh start --port "$qdrant_port" --http-port "$((qdrant_port - 1))" --data "$work/qdrant" >&2
python3 scripts/services/scripted_model.py --port "$model_port" --log "$work/calls" --delay-ms 200 --timed &
model_pid=$!
until (exec 3<>"/dev/tcp/127.0.0.1/$model_port") 2>/dev/null; do
    kill -0 "$model_pid" || exit 1
    sleep 0.1
done

cat >"$work/graphwright.toml" <<EOF
[graph]
url = "neo4j://localhost:$bolt_port"
[vectors]
url = "http://localhost:$qdrant_port"
[llm]
provider = "openai"
base_url = "http://127.0.0.1:$model_port/v1"
model = "scripted"
api_key = "none"
cache = false
concurrency = $concurrency
tokens_per_minute = $tpm
[llm.extra_body]
metadata = { task = "{task}" }
# the scripted model judges no pairs of names
[extraction]
gleanings = 0
resolution = "rules"
EOF

echo "| workers | calls to read | seconds | texts a second | share of one worker's, times the workers | most tokens in 60 s |"
echo "| --- | --- | --- | --- | --- | --- |"
one=0
for count in "$@"; do
    : >"$work/calls"
    pids=()
    for ((worker = 1; worker <= count; worker++)); do
        (cd "$work" && exec "$program" --quiet --data "$work/data-$count" --workspace "w$count" index docs) \
            >"$work/log-$count-$worker" 2>&1 &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do
        wait "$pid" || { cat "$work/log-$count-"* >&2; exit 1; }
    done
    python3 tests/benches/workers/rate.py "$work/calls" "$count" "$one" >"$work/rate"
    { read -r one && cat; } <"$work/rate"
done
