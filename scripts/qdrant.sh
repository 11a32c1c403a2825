#!/usr/bin/env bash
# Qdrant where there is no Docker: see usage below.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
name=qdrant
data=$root/.services/qdrant-data
# shellcheck source=scripts/services/process.sh
source "$root/scripts/services/process.sh"

usage() {
    cat <<'EOF'
usage: scripts/qdrant.sh start|stop|wipe|status|check [options]

  start    installs Qdrant's engine under .services (the first time), starts it, returns when it is ready
  stop     ends it; the data stay
  wipe     ends it and removes its data folder
  status   whether it runs; exit code 0 if so
  check    tests this server on a folder and ports of its own: protocol, errors, scores, kill -9

  --port PORT        6334, gRPC
  --http-port PORT   one below --port; answers / and /readyz only
  --data DIR         .services/qdrant-data; one Qdrant a folder: stop, wipe and status find it by its folder
  --api-key KEY      without it authentication is off

Environment: PYTHON (python3). Needs Python 3.10 or later with venv.
EOF
}

port=6334 http_port='' api_key=
venv=$root/.services/qdrant-venv
export PYTHONDONTWRITEBYTECODE=1

# Makes the Python environment once for each requirements.txt.
install() {
    local python=${PYTHON:-python3} requirements=$root/scripts/services/requirements.txt stamp
    command -v "$python" >/dev/null || fail "needs Python: apt-get install python3 python3-venv"
    stamp="$("$python" -V) $(cksum <"$requirements")"
    [[ ! -f $venv/stamp || $(<"$venv/stamp") != "$stamp" ]] || return 0
    say "downloading Qdrant's engine (about 60 MB)"
    rm -rf "$venv"
    "$python" -m venv "$venv" >&2 || fail "Python has no venv: apt-get install python3-venv"
    "$venv/bin/pip" install -q --disable-pip-version-check -r "$requirements" >&2 || fail "pip could not install $requirements"
    printf '%s\n' "$stamp" >"$venv/stamp"
}

is_ready() {
    grep -q '^started' "$data/service.log" && port_is_open "$port" && port_is_open "$http_port"
}

start() {
    local pid
    if pid=$(running_pid); then
        wait_until_ready 60 is_ready
        say "runs already (pid $pid)"
        return
    fi
    install
    need_free_ports "$port" "$http_port"
    SERVICE_API_KEY=$api_key launch "$venv/bin/python" "$root/scripts/services/qdrant_server.py" \
        --data "$data" --port "$port" --http-port "$http_port"
    wait_until_ready 60 is_ready
    say "gRPC http://localhost:$port, data $data"
}

check() {
    install
    "$venv/bin/python" "$root/scripts/services/qdrant_check.py"
}

command=${1:-}
shift || true
while (($#)); do
    case $1 in
    --port) port=${2:?--port needs a number} ;;
    --http-port) http_port=${2:?--http-port needs a number} ;;
    --data) data=$(absolute "${2:?--data needs a folder}") ;;
    --api-key) api_key=${2:?--api-key needs a value} ;;
    *) command=--help ;;
    esac
    shift 2 || break
done
http_port=${http_port:-$((port - 1))}

case $command in
start) start ;;
stop) stop_service ;;
wipe) wipe_service ;;
status) show_status ;;
check) check ;;
*)
    usage >&2
    exit 2
    ;;
esac
