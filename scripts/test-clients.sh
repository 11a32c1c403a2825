#!/usr/bin/env bash
# Clients of the ecosystem read our graph: neo4j-graphrag and langchain-neo4j from PyPI on an index of a Christmas Carol
# in Neo4j and Qdrant, started on ports and data of their own and stopped at the end.
#
#   scripts/test-clients.sh [TEXT]       TEXT: the file to index (default: the sample's Carol)
#
# GRAPHWRIGHT names the program (default: cargo builds it). Needs Python 3.10 or later with venv, JDK 17 and Maven.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
text=${1:-tests/fixtures/sample/a-christmas-carol.txt}
venv=$root/.services/clients-venv
requirements=$root/tests/clients/requirements.txt

free_port() {
    local port=$1
    while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 10)); done
    printf '%s\n' "$port"
}

stamp="$(python3 -V) $(cksum <"$requirements")"
if [[ ! -f $venv/stamp || $(<"$venv/stamp") != "$stamp" ]]; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements"
    printf '%s' "$stamp" >"$venv/stamp"
fi
if [[ -z ${GRAPHWRIGHT:-} ]]; then
    cargo build --locked --quiet
    GRAPHWRIGHT=$root/target/debug/graphwright
fi

services=$root/.services/clients-$$
bolt_port=$(free_port 17987)
qdrant_port=$(free_port 16934)
stop_services() {
    scripts/neo4j.sh wipe --data "$services/neo4j" || true
    scripts/qdrant.sh wipe --data "$services/qdrant" || true
    rm -rf "$services"
}
trap stop_services EXIT
trap 'exit 130' INT TERM
scripts/neo4j.sh start --bolt-port "$bolt_port" --http-port "$(free_port 17774)" --data "$services/neo4j"
scripts/qdrant.sh start --port "$qdrant_port" --http-port "$(free_port 16933)" --data "$services/qdrant"

export NEO4J_URI=bolt://localhost:$bolt_port QDRANT_URL=http://localhost:$qdrant_port DATA=$services
"$venv/bin/python" -B tests/clients/clients.py index "$GRAPHWRIGHT" "$text"
"$venv/bin/python" -B tests/clients/clients.py check
