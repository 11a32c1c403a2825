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
mkdir -p "$work/driver/src"
work=$(cd "$work" && pwd)

if [ ! -x "$work/venv/bin/python" ]; then
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet umap-learn scikit-learn
fi
cat > "$work/driver/Cargo.toml" <<TOML
[package]
name = "driver"
version = "0.0.0"
edition = "2024"
[dependencies]
anyhow = "1"
cpu-time = "1"
rayon = "1.12"
rustc-hash = "2.1"
serde = { version = "1", features = ["derive"] }
thiserror = "2"
[profile.release]
lto = "thin"
codegen-units = 4
[workspace]
TOML
cat > "$work/driver/src/main.rs" <<RUST
#![allow(dead_code, unused_imports)]
#[path = "$root/src/numeric/mod.rs"]
mod numeric;
#[path = "$root/src/index/summary_trees/clusters.rs"]
mod clusters;
mod config {
    #[path = "$root/src/config/raptor.rs"]
    mod raptor;
    pub use raptor::RaptorConfig;
    fn one_of(_: &str, _: &str, _: &[&str]) -> anyhow::Result<()> {
        Ok(())
    }
}
include!("$root/tests/benches/umap/driver.rs");
RUST
cargo build --quiet --release --manifest-path "$work/driver/Cargo.toml" --target-dir "$work/target"

exec "$work/venv/bin/python" -B "$root/tests/benches/umap/bench.py" "$work"
