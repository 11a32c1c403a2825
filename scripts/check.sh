#!/usr/bin/env bash
# What must be clean before a commit: format, lints, documentation; spelling, licences and shell where the tools are. Where
# one is missing, it says that this was skipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

has() { command -v "$1" >/dev/null 2>&1; }

# Runs the check that needs a tool: check_with TOOL WHAT COMMAND...
check_with() {
    local tool=$1 what=$2
    shift 2
    has "$tool" || { echo "scripts/check.sh: SKIPPED: $what not checked, for want of $tool" >&2; return 0; }
    "$@"
}

# Modules of one folder that lead to each other in a circle cannot be read one by one.
no_circles() {
    local house
    house=$(scripts/house.sh)
    grep -q '^circles of sibling modules: 0$' <<<"$house" || { grep -A20 '^circles' <<<"$house" >&2; return 1; }
}

no_circles
cargo fmt --check
cargo clippy --locked --all-targets --features failpoints -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps
check_with typos "spelling is" typos
check_with cargo-deny "licences and sources of what we depend on are" \
    cargo deny --locked check --config .deny.toml bans licenses sources
check_with shellcheck "shell scripts are" shellcheck -x scripts/*.sh .ci/run
