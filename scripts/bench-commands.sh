#!/usr/bin/env bash
# Every command of --help over graphs of several sizes: CPU seconds, peak memory, and the rows and steps of its statements.
#
# usage: scripts/bench-commands.sh [DOCUMENTS...]     default: 110 1100 11000, which are some 1,000, 10,000 and 100,000 entities
#
# GRAPHWRIGHT names the binary [target/release/graphwright]; WORK [a temporary folder] keeps the graphs. FLAGS go before
# each command, for other stores: FLAGS="--graph neo4j://localhost:7687 --vectors http://localhost:6334".
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
graphwright=${GRAPHWRIGHT:-$root/target/release/graphwright}
[[ -x $graphwright ]] || (cd "$root" && cargo build --release --locked)
work=${WORK:-$(mktemp -d)}
[[ -n ${WORK:-} ]] || trap 'rm -rf "$work"' EXIT
sizes=("$@")
((${#sizes[@]})) || sizes=(110 1100 11000)
python3 "$root/tests/benches/commands/measure.py" "$graphwright" "$work" "${sizes[@]}"
