#!/usr/bin/env bash
# Measures how many communities and reports change after 1 % of the relationships have, cold and warm, through the
# program itself, and prints markdown.
#
#   scripts/bench-churn.sh [SHARED]
#
# SHARED (default ../shared) holds the data and bench/leiden/gen.py. GRAPHS (default "carol podcasts kg100k") chooses,
# SEEDS (default "1 2 3") draws the changes, WORK (default target/bench-churn) keeps what is indexed, BINARY is used
# instead of a release build.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
shared=$(cd "${1:-$root/../shared}" && pwd)
work=${WORK:-$root/target/bench-churn}
mkdir -p "$work/graphs"
if [ ! -x "$work/venv/bin/python" ]; then
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet numpy blake3
fi
if [ -z "${BINARY:-}" ]; then
    (cd "$root" && cargo build --quiet --release)
    BINARY=${CARGO_TARGET_DIR:-$root/target}/release/graphwright
fi
if [[ " ${GRAPHS:-kg100k} " == *" kg100k "* && ! -s "$work/graphs/kg100k.n" ]]; then
    (cd "$work" && "$work/venv/bin/python" -B -c "
import sys; sys.path.insert(0, '$shared/bench/leiden')
import gen; gen.kg('kg100k', 100_000, 9)" >&2)
fi
BINARY=$BINARY exec "$work/venv/bin/python" -B "$root/tests/benches/churn/churn.py" "$shared" "$work"
