#!/usr/bin/env bash
# Memory and time of indexing without a model, over generated text of several sizes, and over the podcasts.
#
# usage: scripts/bench-load.sh [MEGABYTES...]          default: 50 100 200; 1000 for a gigabyte
#
# PODCASTS names podcasts.zip [../shared/data/corpora/podcasts.zip]; "" leaves it out.
# NEO4J=1 also indexes the podcasts into Neo4j (started and stopped here), with the server's CPU seconds.
# WORK [a temporary folder] keeps corpora and data; GRAPHWRIGHT names the binary [target/release/graphwright].
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
graphwright=${GRAPHWRIGHT:-$root/target/release/graphwright}
[[ -x $graphwright ]] || cargo build --release --locked
load=$root/tests/benches/load
if [[ -n ${WORK:-} ]]; then
    work=$WORK
    mkdir -p "$work"
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
sizes=("$@")
((${#sizes[@]})) || sizes=(50 100 200)
podcasts=${PODCASTS-$root/../shared/data/corpora/podcasts.zip}

count() { # DATA FIELD
    "$graphwright" --json --data "$1" status |
        python3 -c 'import json,sys; s=json.load(sys.stdin); print(s.get(sys.argv[1], s.get("counts", {}).get(sys.argv[1], "")))' "$2"
}

echo "| text | CPU s | wall s | peak MB | text units | entities | relationships |"
echo "| --- | --- | --- | --- | --- | --- | --- |"
row() { # NAME FOLDER
    local data=$work/data figures
    rm -rf "$data"
    figures=$(python3 "$load/measure.py" "$graphwright" -q --data "$data" index "$2")
    # shellcheck disable=SC2086
    set -- "$1" $figures
    echo "| $1 | $2 | $3 | $4 | $(count "$data" text_units) | $(count "$data" entities) | $(count "$data" relationships) |"
    rm -rf "$data"
}
for size in "${sizes[@]}"; do
    [[ -d $work/text-$size ]] || python3 "$load/generate.py" "$size" "$work/text-$size"
    row "$size MB generated" "$work/text-$size"
done
if [[ -n $podcasts && -f $podcasts ]]; then
    [[ -d $work/podcasts ]] || python3 -m zipfile -e "$podcasts" "$work/podcasts"
    row "podcasts.zip" "$work/podcasts"
    if [[ -n ${NEO4J:-} ]]; then
        scripts/neo4j.sh start --bolt-port 28687 --http-port 28474 --data "$work/neo4j" >&2
        trap 'scripts/neo4j.sh wipe --data "$work/neo4j"; [[ -n ${WORK:-} ]] || rm -rf "$work"' EXIT
        figures=$(python3 "$load/measure.py" --server "$(<"$work/neo4j/service.pid")" "$graphwright" -q \
            --data "$work/data" --graph neo4j://localhost:28687 index "$work/podcasts")
        # shellcheck disable=SC2086
        set -- $figures
        echo "| podcasts.zip, Neo4j (its own CPU: $4 s) | $1 | $2 | $3 | | | |"
    fi
else
    echo "bench-load: podcasts.zip is not at ${podcasts:-(left out)}" >&2
fi
