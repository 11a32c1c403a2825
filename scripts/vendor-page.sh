#!/usr/bin/env bash
# Makes src/serve/page/assets/vendor.js anew: Preact with its hooks and htm from npm, put into one minified module by
# esbuild, and src/serve/page/assets/LICENSES.txt beside it. Run it to take a new version over; the result is committed.
#
# Needs Node 18 or later with npm. The versions below are exact, so the same bytes come out everywhere.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
packages=(preact@11.2.0 htm@3.1.1)
esbuild=esbuild@0.28.2

for tool in node npm; do
    command -v "$tool" >/dev/null || { echo "$tool is missing; install Node 18 or later" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
printf '{"private": true}\n' >package.json
npm install --silent --no-fund --no-audit --no-package-lock "${packages[@]}" "$esbuild"
cat >entry.js <<'ENTRY'
import { h } from "preact";
import htm from "htm";
export { Fragment, h, render } from "preact";
export { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
export const html = htm.bind(h);
ENTRY
assets=$root/src/serve/page/assets
npx esbuild entry.js --bundle --minify --target=es2022 --format=esm --legal-comments=none --log-level=warning \
    --banner:js="/* ${packages[*]}; see LICENSES.txt */" --outfile=bundle.js
if grep -qE 'eval\(|new Function' bundle.js; then
    echo "the bundle makes code of text and cannot run under the page's policy" >&2
    exit 1
fi
mv bundle.js "$assets/vendor.js"
for package in "${packages[@]}"; do
    printf '==== %s\n\n' "$package"
    cat "node_modules/${package%@*}"/LICENSE*
    printf '\n'
done >"$assets/LICENSES.txt"
ls -l "$assets/vendor.js" "$assets/LICENSES.txt"
