#!/usr/bin/env bash
# Measures UMAP, Gaussian mixtures and the clustering of summary trees beside umap-learn and scikit-learn; prints
# markdown tables.
#
#   scripts/bench-umap.sh
#
# RUNS (3) seeds, ROWS (5000) of the data, LAYERS (1000,10000,100000) sizes of the layers that are clustered, PEERS=0
# leaves the comparison out. WORK (default target/bench-umap) keeps what is built.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=${WORK:-$root/target/bench-umap}
mkdir -p "$work"
work=$(cd "$work" && pwd)

if [ ! -x "$work/venv/bin/python" ]; then
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet umap-learn scikit-learn
fi
"$root/scripts/bench-driver.sh" "$work" 'anyhow = "1"
pulp = "0.22"
serde = { version = "1", features = ["derive"] }
thiserror = "2"' <<RUST
#![allow(dead_code, unused_imports)]
#[path = "$root/src/numeric/mod.rs"]
mod numeric;
#[path = "$root/src/index/trees/clusters.rs"]
mod clusters;
mod language {
    #[path = "$root/src/language/distance.rs"]
    mod distance;
    pub use distance::edits_within;
}
mod config {
    #[path = "$root/src/config/choice.rs"]
    mod choice;
    #[path = "$root/src/config/raptor.rs"]
    mod raptor;
    pub use choice::Choice;
    pub use raptor::RaptorConfig;
}
include!("$root/tests/benches/umap/driver.rs");
RUST

exec "$work/venv/bin/python" -B "$root/tests/benches/umap/bench.py" "$work"
