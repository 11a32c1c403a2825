#!/usr/bin/env bash
# Makes src/map/assets/sigma.js anew: sigma.js and graphology from npm, put into one minified file by esbuild, and
# src/map/assets/LICENSES.txt beside it. Run it to take a new version over; the result is committed.
#
# Needs Node 18 or later with npm. The versions below are exact, so the same bytes come out everywhere.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
packages=(sigma@3.0.3 graphology@0.26.0 graphology-utils@2.5.2 events@3.3.0)
esbuild=esbuild@0.28.2

for tool in node npm; do
    command -v "$tool" >/dev/null || { echo "$tool is missing; install Node 18 or later" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
printf '{"private": true}\n' >package.json
npm install --silent --no-fund --no-audit --no-package-lock --legacy-peer-deps "${packages[@]}" "$esbuild"
printf 'export { default as Graph } from "graphology";\nexport { default as Sigma } from "sigma";\n' >entry.js
assets=$root/src/map/assets
mkdir -p "$assets"
npx esbuild entry.js --bundle --minify --target=es2020 --format=iife --global-name=graphwrightMap \
    --legal-comments=none --log-level=warning --banner:js="/* ${packages[*]}; see LICENSES.txt */" --outfile=bundle.js
if grep -qi '</script' bundle.js; then
    echo "the bundle holds </script and cannot stand inside a page" >&2
    exit 1
fi
mv bundle.js "$assets/sigma.js"
for package in "${packages[@]}"; do
    printf '==== %s\n\n' "$package"
    cat "node_modules/${package%@*}"/LICENSE*
    printf '\n'
done >"$assets/LICENSES.txt"
ls -l "$assets"
