#!/usr/bin/env bash
# Known weaknesses of what we depend on, by RustSec's database: with cargo-deny, which fetches it, or else with
# scripts/advisories.py on a copy. GRAPHWRIGHT_ADVISORIES names a copy that is there already (a folder or a git directory).
# Where no database can be had, it says that this was skipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

skipped() {
    echo "scripts/advisories.sh: SKIPPED: advisories are not checked: $1" >&2
    exit 0
}

if [[ -n ${GRAPHWRIGHT_ADVISORIES:-} ]]; then
    exec python3 scripts/advisories.py "$GRAPHWRIGHT_ADVISORIES"
fi
export GIT_TERMINAL_PROMPT=0
if command -v cargo-deny >/dev/null 2>&1; then
    timeout 120 cargo deny --locked fetch --config .deny.toml db >/dev/null 2>&1 ||
        skipped "RustSec's database cannot be fetched"
    exec cargo deny --locked check --config .deny.toml --disable-fetch advisories
fi
python3 -c 'import tomllib' 2>/dev/null || skipped "neither cargo-deny nor Python 3.11 is there"
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
timeout 120 git clone --quiet --depth 1 https://github.com/rustsec/advisory-db "$copy/db" 2>/dev/null ||
    skipped "RustSec's database cannot be fetched"
python3 scripts/advisories.py "$copy/db"
