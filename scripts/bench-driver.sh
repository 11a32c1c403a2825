#!/usr/bin/env bash
# Builds the crate around a benchmark's driver, with the crates that the product's files in it need.
#
#   scripts/bench-driver.sh WORK DEPENDENCIES < main.rs
#
# DEPENDENCIES are lines of a [dependencies] table. The program is WORK/target/release/driver.
set -euo pipefail
work=$1
mkdir -p "$work/driver/src"
cat >"$work/driver/Cargo.toml" <<TOML
[package]
name = "driver"
version = "0.0.0"
edition = "2024"
[dependencies]
cpu-time = "1"
rayon = "1.12"
rustc-hash = "2.1"
$2
[profile.release]
lto = "thin"
codegen-units = 4
[workspace]
TOML
cat >"$work/driver/src/main.rs"
cargo build --quiet --release --manifest-path "$work/driver/Cargo.toml" --target-dir "$work/target"
