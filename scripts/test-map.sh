#!/usr/bin/env bash
# The map in a real browser: indexes a Christmas Carol without a model into a folder of its own, draws the map and opens
# it in headless Chromium, which must show every entity and relationship and report no error and no refused script. On
# every level the colours must be places in the plane, and a page of 10,000 entities says how many frames a second it
# pans and zooms with.
#
#   scripts/test-map.sh [FOLDER]      FOLDER: where map and screenshots are left (default: a temporary one)
#
# GRAPHWRIGHT names the program (default: cargo builds it), CHROMIUM the browser (default: chromium).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
chromium=${CHROMIUM:-chromium}
if ! command -v "$chromium" >/dev/null; then
    echo "SKIPPED: test-map.sh needs $chromium (Debian: apt-get install chromium)" >&2
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${1:-$work/out}
mkdir -p "$out"
if [[ -z ${GRAPHWRIGHT:-} ]]; then
    cargo build --locked --quiet
    GRAPHWRIGHT=$root/target/debug/graphwright
fi
graphwright() { "$GRAPHWRIGHT" --data "$work/data" --config /dev/null "$@"; }
graphwright --quiet index tests/fixtures/sample/a-christmas-carol.txt
told=$(graphwright --json map -o "$out/map.html")
for format in svg graphml gexf; do graphwright --quiet map -o "$out/map.$format"; done
python3 -B tests/benches/map/page.py purity "$out/map.html"
wanted=$(sed -E 's/.*"entities":([0-9]+).*/\1/' <<<"$told")
wanted+=" $(sed -E 's/.*"relationships":([0-9]+).*/\1/' <<<"$told")"

browse() { # browse LOG ARGUMENTS...
    local log=$1
    shift
    timeout 240 "$chromium" --headless=new --no-sandbox --disable-gpu-sandbox --use-angle=swiftshader \
        --enable-unsafe-swiftshader --user-data-dir="$work/profile" --no-first-run --window-size=1400,900 \
        --virtual-time-budget=5000 --enable-logging=stderr --v=0 "$@" 2>"$log"
}
failed() { echo "FAILED: $*" >&2; exit 1; }

browse "$work/log" --dump-dom "file://$out/map.html#level=0&entity=Scrooge" >"$work/dom"
grep -q "data-ready=\"$wanted\"" "$work/dom" || failed "the page does not show $wanted entities and relationships"
grep -q '<h1>Scrooge</h1>' "$work/dom" || failed "the address's entity is not shown"
grep -q '<blockquote>' "$work/dom" || failed "no source is shown"
grep -E 'CONSOLE.*(Refused|Error|error|violates)' "$work/log" && failed "the page reports errors"
browse "$work/log" --screenshot="$out/map.png" "file://$out/map.html" >/dev/null
browse "$work/log" --screenshot="$out/map-entity.png" "file://$out/map.html#level=1&entity=Scrooge" >/dev/null
[[ -s $out/map.png && -s $out/map-entity.png ]] || failed "no screenshot"
echo "the map shows $wanted entities and relationships in $("$chromium" --version)"
python3 -B tests/benches/map/page.py many "$out/map.html" "$work/many.html"
browse "$work/log" --screenshot="$out/map-many.png" "file://$work/many.html" >/dev/null
python3 -B tests/benches/map/page.py watch "$chromium" "$work/many.html" "$work/watched"
