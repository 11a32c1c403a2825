#!/usr/bin/env bash
# Kills graphwright, Neo4j or the vector store (kill -9) at random moments of a sync and completes it: see usage below.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

usage() {
    cat <<'EOF'
usage: scripts/crash.sh [N] [--embedded|--remote] [--workers COUNT] [--seed SEED]

  N                so many kills (10)
  --embedded       SQLite only
  --remote         Neo4j and Qdrant only, which are started for it; else they take turns with SQLite
  --workers COUNT  so many processes index at once on Neo4j and Qdrant, one of which may be the victim (1)
  --seed SEED      of the choice of victims and moments (1)

Each round indexes a corpus with a scripted model, kills the victim at a random moment, restarts it where it is a service,
and runs the same command again until it succeeds. Then the export must equal that of an undisturbed run, `doctor` must
find the stores sound, and the model must not have been asked anything twice but what was in flight. Prints a table; exit
code 1 if a round failed.

Environment: GRAPHWRIGHT (target/release/graphwright; built where it is missing).
EOF
}

rounds=10 embedded='' remote='' workers=1 seed=1
while (($#)); do
    case $1 in
    --embedded) embedded=1 ;;
    --remote) remote=1 ;;
    --workers) workers=${2:?--workers needs a number} && shift ;;
    --seed) seed=${2:?--seed needs a number} && shift ;;
    [0-9]*) rounds=$1 ;;
    *) usage >&2 && exit 2 ;;
    esac
    shift
done

graphwright=$(realpath -m "${GRAPHWRIGHT:-target/release/graphwright}")
[[ -x $graphwright ]] || cargo build --release --locked
RANDOM=$seed
concurrency=4
work=$(mktemp -d)
model_pid=

# The first port from $1 on that nobody listens on.
free_port() {
    local port=$1
    while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 10)); done
    printf '%s\n' "$port"
}

end_all() {
    [[ -z $model_pid ]] || kill "$model_pid" 2>/dev/null || true
    if [[ -z $embedded ]]; then
        scripts/neo4j.sh wipe --data "$work/neo4j" || true
        scripts/qdrant.sh wipe --data "$work/qdrant" || true
    fi
    rm -rf "$work"
}
trap end_all EXIT
trap 'exit 130' INT TERM

bolt_port=$(free_port 18687) http_port=$(free_port 18474) qdrant_port=$(free_port 18334) qdrant_http=$(free_port 18333)
start_neo4j() { scripts/neo4j.sh start --bolt-port "$bolt_port" --http-port "$http_port" --data "$work/neo4j" >&2; }
start_qdrant() { scripts/qdrant.sh start --port "$qdrant_port" --http-port "$qdrant_http" --data "$work/qdrant" >&2; }
[[ -n $embedded ]] || { start_neo4j && start_qdrant; }

model_port=$(free_port 18080)
python3 scripts/services/scripted_model.py --port "$model_port" --log "$work/calls" --delay-ms 3 &
model_pid=$!
until (exec 3<>"/dev/tcp/127.0.0.1/$model_port") 2>/dev/null; do sleep 0.1; done

# A corpus of twelve pieces of the sample.
mkdir "$work/docs"
split -n l/10 -a 1 --additional-suffix=.txt tests/fixtures/sample/a-christmas-carol.txt "$work/docs/carol-"
cp tests/fixtures/sample/three-kingdoms.txt "$work/docs/"
cat >"$work/graphwright.toml" <<EOF
[graph]
lease_s = 2
timeout_s = 30
[llm]
provider = "openai"
base_url = "http://127.0.0.1:$model_port/v1"
model = "scripted"
api_key = "none"
concurrency = $concurrency
[llm.extra_body]
metadata = { task = "{task}" }
# the scripted model judges no pairs of names
[extraction]
resolution = "rules"
EOF

now_ms() { printf '%s\n' $(($(date +%s%N) / 1000000)); }
flags=()
become() { cd "$work" && exec "$graphwright" --quiet --data "$work/data" "${flags[@]}" "$@"; }
run() { (become "$@"); }
choose_stores() {
    flags=()
    [[ $1 == embedded ]] || flags=(--graph "neo4j://localhost:$bolt_port" --vectors "http://localhost:$qdrant_port")
}
fresh() {
    rm -rf "$work/data" "$work/exported"
    : >"$work/calls"
    [[ $1 == embedded ]] || run remove '**' >/dev/null 2>&1 || true
}

declare -A lasts
for stores in embedded ${embedded:-remote}; do
    [[ $stores != 1 ]] || continue
    choose_stores "$stores"
    fresh "$stores"
    begun=$(now_ms)
    run sync docs >"$work/first" 2>&1 || { cat "$work/first" >&2; echo "an undisturbed sync failed" >&2; exit 1; }
    lasts[$stores]=$(($(now_ms) - begun))
    run export exported 2>/dev/null
    if [[ $stores == embedded ]]; then
        mv "$work/exported" "$work/expected"
        paid=$(wc -l <"$work/calls")
    else
        diff -rq "$work/expected" "$work/exported" >&2 || { echo "the stores differ without any kill" >&2; exit 1; }
    fi
done
echo "undisturbed: $paid calls; ${lasts[embedded]} ms embedded${lasts[remote]:+, ${lasts[remote]} ms on Neo4j and Qdrant}"

victims() { if [[ $1 == embedded ]]; then echo graphwright; else printf '%s\n' graphwright neo4j qdrant; fi; }
kill_service() { kill -9 "$(<"$work/$1/service.pid")" 2>/dev/null || true; }

printf '%5s  %-8s  %-10s  %8s  %5s  %5s  %6s  %5s  %6s\n' round stores victim 'at ms' ended tries export sound repeated
failed=0
for ((round = 1; round <= rounds; round++)); do
    stores=embedded
    [[ -n $embedded ]] || { [[ -z $remote ]] && ((round % 2)); } || stores=remote
    choose_stores "$stores"
    command=(sync docs) at_once=1
    [[ $stores == embedded ]] || ((workers == 1)) || { command=(index docs) && at_once=$workers; }
    mapfile -t possible < <(victims "$stores")
    victim=${possible[RANDOM % ${#possible[@]}]}
    at_ms=$(((RANDOM * 32768 + RANDOM) % lasts[$stores]))
    fresh "$stores"
    # the program itself in the background, not a shell around it
    pids=()
    for ((worker = 1; worker <= at_once; worker++)); do
        become "${command[@]}" >"$work/first-$worker" 2>&1 &
        pids+=($!)
    done
    sleep "$(printf '%d.%03d' $((at_ms / 1000)) $((at_ms % 1000)))"
    case $victim in
    graphwright) kill -9 "${pids[RANDOM % at_once]}" 2>/dev/null || true ;;
    *) kill_service "$victim" ;;
    esac
    ended=0
    for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || ended=$?; done
    [[ $victim != neo4j ]] || start_neo4j 2>/dev/null
    [[ $victim != qdrant ]] || start_qdrant 2>/dev/null
    tries=1
    until run "${command[@]}" >"$work/again" 2>&1; do
        ((tries++ < 5)) || { cat "$work/again" >&2; break; }
    done
    export=equal sound=yes
    run export exported >/dev/null 2>&1 || true
    diff -rq "$work/expected" "$work/exported" >&2 || export=OTHER
    run doctor >"$work/doctor" 2>&1 || { sound=NO; cat "$work/doctor" >&2; }
    repeated=$(($(wc -l <"$work/calls") - $(sort -u "$work/calls" | wc -l)))
    in_flight=$((concurrency * at_once))
    ((repeated <= in_flight)) || sort "$work/calls" | uniq -d | cut -d' ' -f1 | sort | uniq -c >&2
    [[ $export == equal && $sound == yes && $repeated -le $in_flight ]] || failed=$((failed + 1))
    printf '%5d  %-8s  %-10s  %8d  %5d  %5d  %6s  %5s  %6d\n' \
        "$round" "$stores" "$victim" "$at_ms" "$ended" "$tries" "$export" "$sound" "$repeated"
done
echo "$rounds kills, $failed failed"
((failed == 0))
