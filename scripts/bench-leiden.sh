#!/usr/bin/env bash
# Measures the Leiden kernel against its peers and prints markdown tables.
#
#   scripts/bench-leiden.sh [SHARED]
#
# SHARED (default ../shared) holds bench/leiden (generator and judge) and data. RUNS (default 3) interleaved rounds,
# minima of CPU seconds are kept. GRAPHS chooses graphs, WORK (default target/bench-leiden) keeps what is built.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
shared=$(cd "${1:-$root/../shared}" && pwd)
work=${WORK:-$root/target/bench-leiden}
mkdir -p "$work/graphs"

if [ ! -x "$work/venv/bin/python" ]; then
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet numpy scipy scikit-learn igraph leidenalg graspologic-native pandas pyarrow
fi
if [ ! -s "$work/graphs/lfr1m.n" ]; then
    (cd "$work" && "$work/venv/bin/python" -B "$shared/bench/leiden/gen.py" >&2)
fi

"$root/scripts/bench-driver.sh" "$work" 'single-clustering = { version = "=0.7.0", default-features = false }' <<RUST
#[allow(dead_code, unused_imports)]
mod numeric {
    #[path = "$root/src/numeric/random.rs"]
    pub mod random;
    #[path = "$root/src/numeric/disjoint_sets.rs"]
    pub(crate) mod disjoint_sets;
    #[path = "$root/src/numeric/leiden/mod.rs"]
    pub mod leiden;
}
use numeric::leiden;
include!("$root/tests/benches/leiden/driver.rs");
RUST

exec "$work/venv/bin/python" -B "$root/tests/benches/leiden/bench.py" "$shared" "$work"
