#!/usr/bin/env bash
# What must be clean before a commit: format, lints, documentation; spelling, licences and shell where the tools are.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

has() { command -v "$1" >/dev/null 2>&1; }

# Modules of one folder that lead to each other in a circle cannot be read one by one.
no_circles() {
    local house
    house=$(scripts/house.sh)
    grep -q '^circles of sibling modules: 0$' <<<"$house" || { grep -A20 '^circles' <<<"$house" >&2; return 1; }
}

no_circles
cargo fmt --check
cargo clippy --locked --all-targets -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps
! has typos || typos
! has cargo-deny || cargo deny --locked check --config .deny.toml bans licenses sources
! has shellcheck || shellcheck -x scripts/*.sh .ci/run
