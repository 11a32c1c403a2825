#!/usr/bin/env bash
# Indexes the recorded runs with their recorded replies: calls and tokens by task in both styles of reports, what
# --dry-run said before, and which names of the keys end up as one. Prints markdown tables.
#
#   scripts/bench-played.sh [SHARED]
#
# SHARED (default ../shared) holds data/played. LANGUAGES (default "en zh"), STYLES (default "paper lean") and EXTRACTION
# (lines for [extraction]) choose, PARTS (default "runs changes") what is measured: "changes" is what --dry-run says before a
# first run, a change and a deletion, and what each asks for; "play" asks every search every question with a careful reader as the
# model (tests/benches/played/play.py: CORPORA, METHODS, COMPOSED; EMBEDDING_MODEL is a folder of a local model). WORK (default target/bench-played) keeps the indexes, BINARY is used instead of a
# release build.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
shared=$(cd "${1:-$root/../shared}" && pwd)
work=${WORK:-$root/target/bench-played}
mkdir -p "$work"
if [ -z "${BINARY:-}" ]; then
    (cd "$root" && cargo build --quiet --release)
    BINARY=${CARGO_TARGET_DIR:-$root/target}/release/graphwright
fi
for part in ${PARTS:-runs changes}; do
    case $part in
    runs) python3 -B "$root/tests/benches/played/measure.py" "$shared" "$work" "$BINARY" ;;
    changes) python3 -B "$root/tests/benches/played/changes.py" "$shared" "$work" "$BINARY" ;;
    play) python3 -B "$root/tests/benches/played/play.py" "$shared" "$work" "$BINARY" ;;
    esac
done
