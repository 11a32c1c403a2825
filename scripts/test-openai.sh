#!/usr/bin/env bash
# OpenAI's own Python SDK on a server on the sample, and its streams read as Open WebUI and LibreChat read them: every source at
# its sentence. GRAPHWRIGHT names the program [target/debug/graphwright]. Skips, and says so, where pip has no way to the SDK.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=$(realpath "${GRAPHWRIGHT:-$root/target/debug/graphwright}")
sdk=3.57.0

venv=$root/.services/openai-sdk-$sdk
if [[ ! -f $venv/ready ]]; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "openai==$sdk" >/dev/null 2>&1 || {
        echo "scripts/test-openai.sh: SKIPPED: pip cannot install OpenAI's Python SDK" >&2
        rm -rf "$venv"
        exit 0
    }
    touch "$venv/ready"
fi

work=$(mktemp -d)
server=
trap 'kill $server 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
"$program" index "$root/tests/fixtures/sample" -q
port=18484
while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
"$program" serve --listen "127.0.0.1:$port" >serve.log 2>&1 &
server=$!
for _ in $(seq 100); do
    ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    sleep 0.1
done
"$venv/bin/python" -B "$root/tests/clients/openai_client.py" "http://127.0.0.1:$port" "$root/tests/fixtures/front-ends/open-webui-0.12.4.json"
