# shellcheck shell=bash
# What scripts/neo4j.sh and scripts/qdrant.sh share: one process per data folder, its pid and log kept beside the data.
# The script that sources this has set $data (the folder, absolute) and $name (for messages).
: "${name:?}"

fail() {
    printf '%s: %s\n' "$name" "$*" >&2
    exit 1
}

say() { printf '%s: %s\n' "$name" "$*" >&2; }

# The pid of the service on this data folder, if it runs. A pid that another program got meanwhile does not count.
running_pid() {
    local pid
    [[ -f $data/service.pid ]] || return 1
    pid=$(<"$data/service.pid")
    [[ -n $pid && $(ps -ww -p "$pid" -o args= 2>/dev/null) == *"$data"* ]] || return 1
    printf '%s\n' "$pid"
}

port_is_open() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

need_free_ports() {
    local port
    for port in "$@"; do
        ! port_is_open "$port" || fail "port $port is taken by another program: choose another one (see --help)"
    done
}

# launch COMMAND...: in the background, in a session of its own, so that Ctrl-C at the terminal does not end it.
launch() {
    local detach=setsid
    command -v setsid >/dev/null || detach=nohup
    mkdir -p "$data"
    : >"$data/service.log"
    "$detach" "$@" >>"$data/service.log" 2>&1 </dev/null &
    printf '%s\n' "$!" >"$data/service.pid"
}

# wait_until_ready SECONDS COMMAND...: fails with the end of the log when the process ends or the time is over.
wait_until_ready() {
    local seconds=$1 started=$SECONDS
    shift
    until "$@"; do
        if ! running_pid >/dev/null && sleep 0.5 && ! running_pid >/dev/null; then
            tail -n 30 "$data/service.log" >&2
            fail "ended while it started; the log above is $data/service.log"
        fi
        if ((SECONDS - started >= seconds)); then
            tail -n 30 "$data/service.log" >&2
            stop_service
            fail "did not answer within $seconds s; the log above is $data/service.log"
        fi
        sleep 0.2
    done
}

# SIGTERM, and SIGKILL when that has not helped after 30 s.
stop_service() {
    end_service TERM 30 || {
        say "did not end within 30 s and is killed"
        end_service KILL 10 || fail "pid $(running_pid) cannot be killed"
    }
}

# end_service SIGNAL SECONDS: fails when it still runs then.
end_service() {
    local pid waited
    if pid=$(running_pid); then
        kill "-$1" "$pid" 2>/dev/null || true
        for ((waited = 0; waited < $2 * 5; waited++)); do
            running_pid >/dev/null || break
            sleep 0.2
        done
        ! running_pid >/dev/null || return 1
    fi
    rm -f "$data/service.pid"
}

# Only a folder that this script made is removed; what is thrown away needs no orderly end.
wipe_service() {
    [[ -d $data ]] || return 0
    end_service KILL 10 || fail "pid $(running_pid) cannot be killed"
    [[ -f $data/service.log ]] || fail "$data has no service.log, so it is not a data folder of this script: not removed"
    rm -rf "$data"
}

show_status() {
    local pid
    if pid=$(running_pid); then
        printf 'running (pid %s, data %s)\n' "$pid" "$data"
    else
        printf 'stopped (data %s)\n' "$data"
        return 1
    fi
}

# The absolute form of a path that need not exist.
absolute() {
    local folder
    folder=$(dirname "$1")
    if [[ -d $folder ]]; then
        printf '%s/%s\n' "$(cd "$folder" && pwd)" "$(basename "$1")"
    elif [[ $1 == /* ]]; then
        printf '%s\n' "$1"
    else
        printf '%s/%s\n' "$PWD" "$1"
    fi
}
