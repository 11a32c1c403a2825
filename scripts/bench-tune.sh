#!/usr/bin/env bash
# Tunes without a language model, and searches sizes and weights on question sets, through `graphwright tune`.
#   scripts/bench-tune.sh DATA [SET...]     SET: musique hotpotqa 2wiki   (default: musique)
# DATA holds corpora/ and qa/SET/corpus.json and questions.json. PROGRAM is used instead of a release build, SAMPLE (12)
# text units are looked at and as many held back, PASSAGES (200) are searched, WORK keeps the indexes.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
data=$(cd "${1:?DATA folder}" && pwd)
shift
[[ $# -gt 0 ]] || set -- musique
work=${WORK:-$root/.services/bench-tune}
program=${PROGRAM:-$root/target/release/graphwright}
[[ -x $program ]] || (cd "$root" && cargo build --release)
mkdir -p "$work"
cd "$work"
for corpus in "$data"/corpora/*; do
    case $corpus in *.zip) continue ;; esac
    printf '\n%s\n\n' "$(basename "$corpus")"
    "$program" --data "$work/data" tune "$corpus" --sample "${SAMPLE:-12}"
done
for set in "$@"; do
    printf '\n%s\n\n' "$set"
    "$program" --data "$work/data" tune "$data/qa/$set/corpus.json" --search \
        --questions "$data/qa/$set/questions.json" --passages "${PASSAGES:-200}"
done
