#!/usr/bin/env bash
# The Model Context Protocol's own conformance suite (npm) against /mcp of a server on the sample. Of its scenarios those that
# any server can pass are run; the others call tools, resources and prompts of a test server by name.
# GRAPHWRIGHT names the program [target/debug/graphwright]. Skips, and says so, where npm has no way to the packages.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=$(realpath "${GRAPHWRIGHT:-$root/target/debug/graphwright}")
suite=0.1.16 node=22.23.3
scenarios=(server-initialize ping tools-list resources-list prompts-list server-sse-multiple-streams dns-rebinding-protection)

packages=$root/.services/mcp-conformance-$suite
if [[ ! -x $packages/node_modules/node/bin/node ]]; then
    mkdir -p "$packages"
    npm install --prefix "$packages" --no-audit --no-fund --loglevel error \
        "node@$node" "@modelcontextprotocol/conformance@$suite" >/dev/null 2>&1 ||
        { echo "scripts/test-mcp.sh: SKIPPED: npm cannot install the conformance suite" >&2; rm -rf "$packages"; exit 0; }
fi

work=$(mktemp -d)
server=
trap 'kill "$server" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
"$program" index "$root/tests/fixtures/sample" -q
port=18464
while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
"$program" serve --listen "127.0.0.1:$port" >serve.log 2>&1 &
server=$!
for _ in $(seq 100); do
    ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    sleep 0.1
done

failed=0
for scenario in "${scenarios[@]}"; do
    if "$packages/node_modules/node/bin/node" "$packages/node_modules/@modelcontextprotocol/conformance/dist/index.js" \
        server --url "http://127.0.0.1:$port/mcp" --scenario "$scenario" >"$scenario.log" 2>&1; then
        echo "ok      $scenario"
    else
        echo "FAILED  $scenario"
        tail -30 "$scenario.log"
        failed=1
    fi
done
exit "$failed"
