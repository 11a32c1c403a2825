#!/usr/bin/env bash
# Replays recorded answers over an index made with their recorded replies, and scores the sentences that their citations
# lead to by keys. Prints a markdown table; what is wrong goes to stderr.
#
#   scripts/bench-citations.sh [SHARED]
#
# SHARED (default ../shared) holds data/played. LANGUAGES (default "en zh"; "zh-today" is the run of tests/fixtures/played) and ONLY (ids of answers) choose, LISTED=none
# leaves out what is wrong, WORK (default target/bench-citations) keeps the indexes, BINARY is used instead of a release
# build.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
shared=$(cd "${1:-$root/../shared}" && pwd)
work=${WORK:-$root/target/bench-citations}
mkdir -p "$work"
if [ -z "${BINARY:-}" ]; then
    (cd "$root" && cargo build --quiet --release)
    BINARY=${CARGO_TARGET_DIR:-$root/target}/release/graphwright
fi
exec python3 -B "$root/tests/benches/citations/score.py" "$shared" "$work" "$BINARY"
