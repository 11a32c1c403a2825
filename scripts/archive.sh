#!/usr/bin/env bash
# Packs a program that was built into an archive to give away: scripts/archive.sh TARGET PROGRAM [FOLDER], for example
#   scripts/archive.sh x86_64-unknown-linux-gnu target/dist/graphwright archives
# The archive holds the program, README, LICENSE, completions for five shells and the pages of the manual; beside it lies its
# SHA-256 sum. Completions and manual are written by the program itself, or by GRAPHWRIGHT_HOST where PROGRAM is for another
# kind of machine. The same program gives the same bytes.
set -euo pipefail
[[ $# == 2 || $# == 3 ]] || { echo "usage: scripts/archive.sh TARGET PROGRAM [FOLDER]" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
target=$1 program=$2 folder=${3:-archives}
[[ -f $program ]] || { echo "scripts/archive.sh: no program at $program; build it with cargo build --profile dist" >&2; exit 1; }
host=$(realpath "${GRAPHWRIGHT_HOST:-$program}")
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -1)
name=graphwright-$version-$target

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/$name/completions" "$work/$name/man" "$folder"
install -m 0755 "$program" "$work/$name/"
install -m 0644 "$root/README.md" "$root/LICENSE" "$work/$name/"
for shell in bash zsh fish elvish powershell; do
    (cd "$work" && "$host" completions "$shell") >"$work/$name/completions/graphwright.$shell"
done
(cd "$work" && "$host" completions --man "$work/$name/man") >/dev/null

case $target in
*windows*)
    archive=$name.zip
    python3 - "$work" "$name" "$folder/$archive" <<'PYTHON'
import pathlib, sys, zipfile
work, name, archive = sys.argv[1:]
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
    for path in sorted(pathlib.Path(work, name).rglob("*")):
        if path.is_file():
            entry = zipfile.ZipInfo(str(path.relative_to(work)), (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (path.stat().st_mode & 0o777) << 16
            out.writestr(entry, path.read_bytes())
PYTHON
    ;;
*)
    archive=$name.tar.gz
    tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 --mode=go-w -C "$work" -cf - "$name" |
        gzip -n9 >"$folder/$archive"
    ;;
esac
(cd "$folder" && sha256sum "$archive" >"$archive.sha256")
echo "$folder/$archive"
