#!/usr/bin/env bash
# The Model Context Protocol's own conformance suite (npm) and the protocol's Python SDK (PyPI) against a server on the sample, over HTTP
# and over stdio (behind tests/clients/mcp_bridge.py, since the suite speaks HTTP alone), in the newest revision and the one before.
# Of the suite's scenarios those that any server can pass are run; the others call tools, resources and prompts of a test server by name.
# GRAPHWRIGHT names the program [target/debug/graphwright]. Skips, and says so, what npm or pip has no way to.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=$(realpath "${GRAPHWRIGHT:-$root/target/debug/graphwright}")
suite=0.2.0-alpha.12 node=22.23.3 sdk=2.3.0
old=(server-initialize ping tools-list resources-list prompts-list server-sse-multiple-streams)
new=(tools-list resources-list prompts-list server-sse-multiple-streams sep-2164-resource-not-found caching)
# what is of HTTP itself
old_http=(server-session-lifecycle dns-rebinding-protection)
new_http=(dns-rebinding-protection http-header-validation)

packages=$root/.services/mcp-conformance-$suite
if [[ ! -x $packages/node_modules/node/bin/node ]]; then
    mkdir -p "$packages"
    npm install --prefix "$packages" --no-audit --no-fund --loglevel error \
        "node@$node" "@modelcontextprotocol/conformance@$suite" >/dev/null 2>&1 || {
        echo "scripts/test-mcp.sh: SKIPPED: npm cannot install the conformance suite" >&2
        rm -rf "$packages"
        packages=
    }
fi
venv=$root/.services/mcp-sdk-$sdk
if [[ ! -f $venv/ready ]]; then
    rm -rf "$venv"
    if python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check "mcp==$sdk" >/dev/null 2>&1; then
        touch "$venv/ready"
    else
        echo "scripts/test-mcp.sh: SKIPPED: pip cannot install the protocol's Python SDK" >&2
        rm -rf "$venv"
        venv=
    fi
fi

work=$(mktemp -d)
server='' bridge=''
trap 'kill $server $bridge 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
free_port() {
    local port=$1
    while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
    printf '%s\n' "$port"
}
listens() {
    for _ in $(seq 100); do
        ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null || return 0
        sleep 0.1
    done
}

"$program" index "$root/tests/fixtures/sample" -q
http=$(free_port 18464)
"$program" serve --listen "127.0.0.1:$http" >serve.log 2>&1 &
server=$!
listens "$http"
stdio=$(free_port 18474)
python3 "$root/tests/clients/mcp_bridge.py" "$stdio" "$program" mcp >bridge.log 2>&1 &
bridge=$!
listens "$stdio"

failed=0
conformance() {
    timeout 300 "$packages/node_modules/node/bin/node" "$packages/node_modules/@modelcontextprotocol/conformance/dist/index.js" server "$@" || true
}
# run NAME PORT OPTION VALUE SCENARIO...: the whole suite once; each of the scenarios must have passed
run() {
    local name=$1 port=$2 option=$3 value=$4
    shift 4
    conformance --url "http://127.0.0.1:$port/mcp" "$option" "$value" >suite.log 2>&1
    for scenario; do
        if grep -q "^✓ $scenario:" suite.log; then
            echo "ok      $name $value $scenario"
        else
            echo "FAILED  $name $value $scenario"
            conformance --url "http://127.0.0.1:$port/mcp" "$option" "$value" --scenario "$scenario" 2>&1 | tail -30
            failed=1
        fi
    done
}
# The scenario of requests without a session wants tools of a test server for some of its checks: those are left out.
stateless() {
    conformance --url "http://127.0.0.1:$http/mcp" --scenario server-stateless --spec-version 2026-07-28 --verbose >stateless.log 2>&1
    python3 - stateless.log <<'CHECKS' || failed=1
import json, sys
text = open(sys.argv[1]).read()
checks = json.JSONDecoder().raw_decode(text, text.index("["))[0]
passed = sum(check["status"] == "SUCCESS" for check in checks)
wrong = [check for check in checks if check["status"] == "FAILURE" and not check["errorMessage"].startswith("Not testable: server does not list")]
for check in wrong:
    print("FAILED  HTTP 2026-07-28 server-stateless", check["id"], check["errorMessage"])
if not wrong:
    print(f"ok      HTTP 2026-07-28 server-stateless ({passed} checks)")
sys.exit(bool(wrong) or not passed)
CHECKS
}

if [[ -n $packages ]]; then
    run HTTP "$http" --spec-version 2025-11-25 "${old[@]}" "${old_http[@]}"
    run HTTP "$http" --requirements 2026-07-28 "${new[@]}" "${new_http[@]}"
    run stdio "$stdio" --spec-version 2025-11-25 "${old[@]}"
    run stdio "$stdio" --requirements 2026-07-28 "${new[@]}"
    stateless
fi
if [[ -n $venv ]]; then
    "$venv/bin/python" -B "$root/tests/clients/mcp_client.py" "http://127.0.0.1:$http/mcp" "$program" mcp --allow-write \
        --public-url "http://127.0.0.1:$http" || failed=1
fi
exit "$failed"
