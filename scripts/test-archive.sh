#!/usr/bin/env bash
# Unpacks an archive of scripts/archive.sh into a bare Debian 10 (or SUITE) that has nothing but its C library, and runs the
# demo there as a user without rights: scripts/test-archive.sh ARCHIVE. Wants root, debootstrap and a mirror of Debian.
set -euo pipefail
[[ $# == 1 && -f ${1:-} ]] || { echo "usage: scripts/test-archive.sh ARCHIVE.tar.gz" >&2; exit 2; }
[[ $(id -u) == 0 ]] || { echo "scripts/test-archive.sh: chroot wants root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "scripts/test-archive.sh: install debootstrap first" >&2; exit 1; }
suite=${SUITE:-bullseye} mirror=${MIRROR:-http://deb.debian.org/debian}
bare=$(mktemp -d)
trap 'rm -rf "$bare"' EXIT
debootstrap --variant=minbase "$suite" "$bare" "$mirror" >"$bare.log" 2>&1 || { tail -20 "$bare.log" >&2; exit 1; }
rm -f "$bare.log"
# mktemp lets nobody else in
chmod 0755 "$bare"
mkdir -p "$bare/opt/graphwright" "$bare/work"
tar -xzf "$1" -C "$bare/opt/graphwright" --strip-components 1
chmod 0777 "$bare/work"
run() { chroot --userspec=65534:65534 "$bare" /usr/bin/env -i HOME=/work PATH=/opt/graphwright:/usr/bin:/bin sh -c "cd /work && $1"; }
chroot "$bare" ldd --version | head -1
run "graphwright --version"
run "graphwright demo" | tee "$bare/work/answer"
grep -q "Marley" "$bare/work/answer" || { echo "scripts/test-archive.sh: the demo gave no answer" >&2; exit 1; }
run "graphwright --workspace demo status"
