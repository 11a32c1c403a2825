#!/usr/bin/env bash
# The page of trends in a real browser: indexes twelve reports by month without a model into a folder of its own, writes the page
# and opens it in headless Chromium, which must find, filter, sort and open entries by keys and pointer, and report no error, no
# refused script and no request. One company's name is markup, which must stay a text.
#
#   scripts/test-trends.sh [FOLDER]      FOLDER: where page and screenshots are left (default: a temporary one)
#
# GRAPHWRIGHT names the program (default: cargo builds it), CHROMIUM the browser (default: chromium).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
chromium=${CHROMIUM:-chromium}
if ! command -v "$chromium" >/dev/null; then
    echo "SKIPPED: test-trends.sh needs $chromium (Debian: apt-get install chromium)" >&2
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${1:-$work/out}
mkdir -p "$out" "$work/reports"
if [[ -z ${GRAPHWRIGHT:-} ]]; then
    cargo build --locked --quiet
    GRAPHWRIGHT=$root/target/debug/graphwright
fi
for month in 01 02 03 04 05 06 07 08 09 10 11 12; do
    {
        echo "The Tarn Boat sold $month$month pieces in the harbour towns of Mere Works."
        for ((order = 6; order < 10#$month; order++)); do
            echo "The Beck Engine won order number $order$month from a shipyard."
        done
        if ((10#$month < 6)); then echo "The Fell Sail was sold $month times to old customers of the Tarn Boat."; fi
        echo "Readers of </script><script>document.title='broken'</script> wrote $month letters about the Beck Engine."
    } >"$work/reports/2021-$month.txt"
done
graphwright() { "$GRAPHWRIGHT" --data "$work/data" --config /dev/null "$@"; }
graphwright --quiet index "$work/reports"
graphwright --quiet trends --every month -o "$out/trends.html" >/dev/null
python3 -B tests/benches/trends/drive.py "$out/trends.html" "$work/driven.html"
failed() { echo "FAILED: $*" >&2; exit 1; }
browse() { # browse LOG ARGUMENTS...
    local log=$1
    shift
    timeout 240 "$chromium" --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/profile" --no-first-run \
        --window-size=1200,1000 --virtual-time-budget=5000 --enable-logging=stderr --v=0 "$@" 2>"$log"
}
# on a starved machine the browser may end before the page has said anything
for _ in 1 2 3; do
    browse "$work/log" --dump-dom "file://$work/driven.html" >"$work/dom"
    ! grep -q 'data-driven=' "$work/dom" || break
done
grep -q 'data-driven="passed"' "$work/dom" || {
    grep -o 'data-driven="[^"]*"' "$work/dom" >&2 || true
    grep CONSOLE "$work/log" >&2 || true
    failed "the page does not do what it says"
}
grep -E 'CONSOLE.*(Refused|Error|error|violates)' "$work/log" && failed "the page reports errors"
browse "$work/log" --screenshot="$out/trends.png" "file://$out/trends.html#Rising/Beck%20Engine" >/dev/null
browse "$work/log" --force-dark-mode --blink-settings=preferredColorScheme=0 --screenshot="$out/trends-dark.png" \
    "file://$out/trends.html#Rising/Beck%20Engine" >/dev/null
[[ -s $out/trends.png && -s $out/trends-dark.png ]] || failed "no screenshot"
echo "the page of trends finds, sorts and opens its entries in $("$chromium" --version)"
