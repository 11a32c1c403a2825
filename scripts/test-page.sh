#!/usr/bin/env bash
# The page in headless Chromium, as tests/browser has it: every screen in both languages and schemes without a finding of
# axe, every citation at its sentence, files in and out, keys, input methods, phones, tokens, a prefix, read-only.
#
#   scripts/test-page.sh [PART OF A TEST'S NAME]
#
# GRAPHWRIGHT names the program (default: cargo builds it), CHROMIUM the browser (default: chromium), SCREENSHOTS a folder
# that pictures are left in, BROWSER_MODULES a folder whose node_modules has what package-lock.json names (default: npm
# installs it into a temporary one), PAGE_ASSETS a folder whose files stand for those in the program. Each screen is held,
# from afar, against tests/browser/looks.json; LOOKS=write notes how screens look now. Skips, and says so, where there is
# no browser or no Node.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
chromium=$(command -v "${CHROMIUM:-chromium}" || true)
for tool in node npm; do
    command -v "$tool" >/dev/null || { echo "SKIPPED: test-page.sh needs $tool (Node 20 or later)" >&2; exit 0; }
done
[[ -n $chromium ]] || { echo "SKIPPED: test-page.sh needs chromium (Debian: apt-get install chromium)" >&2; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [[ -z ${BROWSER_MODULES:-} ]]; then
    cp tests/browser/package.json tests/browser/package-lock.json "$work"
    if ! npm ci --silent --no-fund --no-audit --prefix "$work"; then
        echo "SKIPPED: test-page.sh cannot install playwright-core and axe-core from npm" >&2
        exit 0
    fi
    BROWSER_MODULES=$work
fi
if [[ -z ${GRAPHWRIGHT:-} ]]; then
    cargo build --locked --quiet
    GRAPHWRIGHT=target/debug/graphwright
fi
GRAPHWRIGHT=$(realpath "$GRAPHWRIGHT")
[[ -z ${SCREENSHOTS:-} ]] || { mkdir -p "$SCREENSHOTS" && SCREENSHOTS=$(realpath "$SCREENSHOTS"); }
export GRAPHWRIGHT BROWSER_MODULES SCREENSHOTS=${SCREENSHOTS:-} CHROMIUM=$chromium
node tests/browser/run.mjs "$@"
