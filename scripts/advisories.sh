#!/usr/bin/env bash
# Known weaknesses of what we depend on: cargo-deny against RustSec's database, which it fetches. Where the tool or the
# database cannot be had, it says that this was skipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

skipped() {
    echo "scripts/advisories.sh: SKIPPED: advisories are not checked: $1" >&2
    exit 0
}

command -v cargo-deny >/dev/null 2>&1 || skipped "cargo-deny is not there (cargo install --locked cargo-deny)"
GIT_TERMINAL_PROMPT=0 timeout 120 cargo deny --locked fetch --config .deny.toml db >/dev/null 2>&1 ||
    skipped "RustSec's database cannot be fetched"
cargo deny --locked check --config .deny.toml --disable-fetch advisories
