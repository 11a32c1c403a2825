#!/usr/bin/env bash
# Neo4j Community where there is no Docker: see usage below.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
name=neo4j
data=$root/.services/neo4j-data
# shellcheck source=scripts/services/process.sh
source "$root/scripts/services/process.sh"

usage() {
    cat <<'EOF'
usage: scripts/neo4j.sh start|stop|wipe|status|java [options]

  start    installs Neo4j under .services (the first time), starts it, returns when Bolt answers
  stop     ends it; the data stay
  wipe     ends it and removes its data folder
  status   whether it runs; exit code 0 if so
  java     which Java would run it; exit code 1 where none can

  --bolt-port PORT    7687
  --http-port PORT    7474; Neo4j Browser is at /browser/
  --data DIR          .services/neo4j-data; one Neo4j a folder: stop, wipe and status find it by its folder
  --password PW       of the user neo4j; without it authentication is off
  --version VERSION   5.26.30; 2025 and later (2026.08.1) need JDK 21 or later, found in /usr/lib/jvm or by JAVA_HOME
  --tls DIR           Bolt over TLS as well, on the same port, with DIR/private.key and DIR/public.crt; where they are
                      missing they are made for localhost, and DIR/ca.pem is the authority to trust (needs openssl)
  --gds VERSION       with the open-source Graph Data Science plugin (2.13.9 for 5.26); without it, none

Environment: NEO4J_HEAP (1g), NEO4J_PAGECACHE (256m), NEO4J_TRANSACTION_MEMORY (of one transaction; no limit),
JAVA_HOME. Needs OpenJDK 17 and Maven.
EOF
}

plugins='' version=5.26.30 bolt_port=7687 http_port=7474 password='' gds='' tls=''

# The version of a Java: 17.
java_version() {
    "$1" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.specification\.version = \([0-9]*\).*/\1/p'
}

# JAVA_HOME's, else the one in PATH; where that is too old, the newest of the machine.
need_tools() {
    local least=17 found other
    [[ $version == 5.* ]] || least=21
    java=${JAVA_HOME:+$JAVA_HOME/bin/}java
    command -v "$java" >/dev/null || fail "needs a JDK $least: apt-get install openjdk-$least-jdk-headless"
    found=$(java_version "$java")
    if [[ $found -lt $least ]]; then
        for other in /usr/lib/jvm/*/bin/java; do
            [[ -x $other && $(java_version "$other") -gt $found ]] || continue
            java=$other found=$(java_version "$other")
        done
    fi
    [[ $found -ge $least ]] ||
        fail "Neo4j $version needs JDK $least or later, found $found: apt-get install openjdk-$least-jdk-headless, or set JAVA_HOME"
    [[ $("$java" --list-modules) == *jdk.compiler* ]] ||
        fail "needs a JDK, this is a run-time only: apt-get install openjdk-$least-jdk-headless"
    command -v mvn >/dev/null || fail "needs Maven: apt-get install maven"
}

# Downloads the jars of a pom.xml into DIR/lib, once for each of its contents and versions: DIR POM WHAT -Dversion=...
install_jars() {
    local home=$1 pom=$root/scripts/services/$2 what=$3 stamp
    shift 3
    stamp="$* $(cksum <"$pom")"
    [[ ! -f $home/stamp || $(<"$home/stamp") != "$stamp" ]] || return 0
    say "downloading $what"
    rm -rf "$home"
    mkdir -p "$home/lib"
    mvn -q -B -f "$pom" "$@" dependency:copy-dependencies \
        -DincludeScope=runtime -DoutputDirectory="$home/lib" >&2 || fail "Maven could not download $what"
    printf '%s\n' "$stamp" >"$home/stamp"
}

install() {
    local jar
    lib=$root/.services/neo4j-$version/lib
    install_jars "${lib%/lib}" pom.xml "Neo4j $version (about 140 MB)" "-Dneo4j.version=$version"
    [[ -n $gds ]] || return 0
    plugins=$root/.services/gds-$gds-$version/lib
    install_jars "${plugins%/lib}" gds.pom.xml "Graph Data Science $gds (about 30 MB)" \
        "-Dneo4j.version=$version" "-Dgds.version=$gds"
    for jar in "$plugins"/*.jar; do
        [[ ! -e $lib/${jar##*/} ]] || rm "$jar" # what both need is Neo4j's
    done
}

# A certificate for localhost and the authority that signs it, whose key is thrown away.
make_certificate() {
    local made
    [[ ! -f $tls/private.key || ! -f $tls/public.crt ]] || return 0
    command -v openssl >/dev/null || fail "--tls needs openssl to make a certificate: apt-get install openssl"
    mkdir -p "$tls"
    made=$(mktemp -d "$tls/made-XXXXXX")
    (
        set -e
        cd "$made"
        umask 077
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -keyout ca.key -out ca.pem \
            -subj "/CN=scripts of graphwright" -addext keyUsage=critical,keyCertSign
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout private.key -out request.pem \
            -subj /CN=localhost
        printf 'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1\nbasicConstraints=CA:FALSE\n' >extensions
        openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -extfile extensions \
            -out public.crt
    ) 2>"$tls/openssl.log" || fail "openssl made no certificate; see $tls/openssl.log"
    mv "$made"/{private.key,public.crt,ca.pem} "$tls/"
    rm -r "$made"
}

write_settings() {
    mkdir -p "$data/conf"
    cat >"$data/conf/neo4j.conf" <<EOF
server.default_listen_address=localhost
server.bolt.enabled=true
server.bolt.listen_address=:$bolt_port
server.http.enabled=true
server.http.listen_address=:$http_port
server.memory.pagecache.size=${NEO4J_PAGECACHE:-256m}
${NEO4J_TRANSACTION_MEMORY:+db.memory.transaction.max=$NEO4J_TRANSACTION_MEMORY}
dbms.security.auth_enabled=$([[ -n $password ]] && echo true || echo false)
dbms.security.auth_minimum_password_length=1
dbms.usage_report.enabled=false
internal.dbms.bolt.netty_server_shutdown_quiet_period=0
EOF
    [[ -z $tls ]] || cat >>"$data/conf/neo4j.conf" <<EOF
server.bolt.tls_level=OPTIONAL
dbms.ssl.policy.bolt.enabled=true
dbms.ssl.policy.bolt.base_directory=$tls
dbms.ssl.policy.bolt.private_key=private.key
dbms.ssl.policy.bolt.public_certificate=public.crt
dbms.ssl.policy.bolt.client_auth=NONE
EOF
    [[ -z $gds ]] || cat >>"$data/conf/neo4j.conf" <<EOF
server.directories.plugins=$plugins
dbms.security.procedures.unrestricted=gds.*
EOF
}

# Started, and a Bolt handshake that offers 5.x and 4.4 is answered with one of them.
answers_bolt() {
    local answer
    grep -q '^started' "$data/service.log" && port_is_open "$http_port" || return 1
    answer=$(
        exec 3<>"/dev/tcp/127.0.0.1/$bolt_port" || exit 1
        printf '\x60\x60\xb0\x17\x00\x08\x08\x05\x00\x02\x04\x04\x00\x00\x00\x00\x00\x00\x00\x00' >&3
        timeout 5 head -c 4 <&3 | od -An -tx1
    ) 2>/dev/null || return 1
    [[ $answer == *0[45] ]]
}

start() {
    local pid
    if pid=$(running_pid); then
        wait_until_ready 120 answers_bolt
        say "runs already (pid $pid)"
        return
    fi
    need_tools
    install
    need_free_ports "$bolt_port" "$http_port"
    [[ -z $tls ]] || make_certificate
    write_settings
    local modules=()
    [[ $version == 5.* ]] || modules=(--add-modules jdk.incubator.vector)
    # large pages: see .cargo/config.toml
    SERVICE_PASSWORD=$password launch "$java" "${modules[@]}" "-Xmx${NEO4J_HEAP:-1g}" -XX:+ExitOnOutOfMemoryError -XX:+UseTransparentHugePages \
        --add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/java.io=ALL-UNNAMED \
        --add-opens=java.base/sun.nio.ch=ALL-UNNAMED -Dfile.encoding=UTF-8 \
        -cp "$lib/*${gds:+:$plugins/*}" "$root/scripts/services/Neo4jServer.java" "$data"
    wait_until_ready 120 answers_bolt
    say "neo4j://localhost:$bolt_port, Browser http://localhost:$http_port/browser/, data $data"
}

command=${1:-}
shift || true
while (($#)); do
    case $1 in
    --bolt-port) bolt_port=${2:?--bolt-port needs a number} ;;
    --http-port) http_port=${2:?--http-port needs a number} ;;
    --data) data=$(absolute "${2:?--data needs a folder}") ;;
    --password) password=${2:?--password needs a value} ;;
    --version) version=${2:?--version needs a value} ;;
    --tls) tls=$(absolute "${2:?--tls needs a folder}") ;;
    --gds) gds=${2:?--gds needs a version} ;;
    *) command=--help ;;
    esac
    shift 2 || break
done

case $command in
java) need_tools && printf '%s\n' "$java" ;;
start) start ;;
stop) stop_service ;;
wipe) wipe_service ;;
status) show_status ;;
*)
    usage >&2
    exit 2
    ;;
esac
