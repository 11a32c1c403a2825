#!/usr/bin/env bash
# Measures Node2Vec beside PecanPy's walks with gensim's skip-gram: time, memory and how well hidden edges are told from
# pairs that are none; prints a markdown table.
#
#   scripts/bench-node2vec.sh [SHARED]
#
# SHARED (default ../shared) holds bench/leiden (the generator of lfr10k) and data/graphs. RUNS (3) rounds, least CPU
# seconds are kept; GRAPHS (lfr10k pgp astro-ph) and SETTINGS of bench.py choose. WORK (default target/bench-node2vec)
# keeps what is built.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
shared=$(cd "${1:-$root/../shared}" && pwd)
work=${WORK:-$root/target/bench-node2vec}
mkdir -p "$work/graphs"
work=$(cd "$work" && pwd)

if [ ! -x "$work/venv/bin/python" ]; then
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet pecanpy gensim scikit-learn
fi
if [ ! -s "$work/graphs/lfr10k.n" ]; then
    (cd "$work" && "$work/venv/bin/python" -B -c "
import sys
sys.path.insert(0, '$shared/bench/leiden')
import gen
gen.lfr('lfr10k', 10_000, 10.6, 200, 0.30, 10, 200, 7)" >&2)
fi
"$root/scripts/bench-driver.sh" "$work" 'pulp = "0.22"
thiserror = "2"' <<RUST
#![allow(dead_code, unused_imports)]
#[path = "$root/src/numeric/mod.rs"]
mod numeric;
include!("$root/tests/benches/node2vec/driver.rs");
RUST

exec "$work/venv/bin/python" -B "$root/tests/benches/node2vec/bench.py" "$shared" "$work"
