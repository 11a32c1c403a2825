#!/usr/bin/env bash
# Whether microsoft/graphrag's own `query` (PyPI, 3.3.0) answers from `graphwright export --to graphrag`.
#
# usage: scripts/test-graphrag-export.sh [DOCUMENT...]      default: the bundled sample
#
# Indexes the documents, exports, has graphrag embed the tables and asks it a global, a local and a basic question
# through an endpoint of our own (scripts/graphrag/endpoint.py), which keeps the prompts: what it was asked must hold our records.
# Needs Python 3.11 or 3.12; installs graphrag (some 1 GB) into .services/graphrag-venv, or uses GRAPHRAG_VENV.
# GRAPHWRIGHT names the binary [target/release/graphwright, built where it is missing].
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
fail() { echo "test-graphrag-export: $*" >&2; exit 1; }

venv=${GRAPHRAG_VENV:-$root/.services/graphrag-venv}
if [[ ! -x $venv/bin/graphrag ]]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install -q graphrag==3.3.0 || fail "cannot install graphrag 3.3.0"
fi
graphwright=${GRAPHWRIGHT:-$root/target/release/graphwright}
[[ -x $graphwright ]] || cargo build --release --locked
documents=("$@")
((${#documents[@]})) || documents=(tests/fixtures/sample)

work=$(mktemp -d)
endpoint=
stop() {
    [[ -z $endpoint ]] || kill "$endpoint" 2>/dev/null || true
    rm -rf "$work"
}
trap stop EXIT

"$graphwright" -q --data "$work/data" index "${documents[@]}"
"$graphwright" -q --data "$work/data" export --to graphrag "$work/output"

port=18431
while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
"$venv/bin/python" scripts/graphrag/endpoint.py "$port" "$work/prompts" &
endpoint=$!

model() { # NAME
    printf '{model_provider: openai, model: %s, api_base: "http://127.0.0.1:%s/v1", api_key: none}' "$1" "$port"
}
cat >"$work/settings.yaml" <<EOF
completion_models: {default_completion_model: $(model gpt-4.1)}
embedding_models: {default_embedding_model: $(model text-embedding-3-small)}
input_storage: {type: file, base_dir: "$work/input"}
output_storage: {type: file, base_dir: "$work/output"}
reporting: {type: file, base_dir: "$work/logs"}
cache: {type: none}
vector_store: {type: lancedb, db_uri: "$work/output/lancedb", vector_size: 64}
workflows: [generate_text_embeddings]
EOF
mkdir -p "$work/input"
"$venv/bin/graphrag" index --root "$work" --skip-validation >"$work/index.log" 2>&1 ||
    { tail -n 30 "$work/index.log" >&2; fail "graphrag could not embed the tables"; }

ask() { # METHOD WORDS QUESTION: the prompt must hold the words
    : >"$work/prompts"
    "$venv/bin/graphrag" query --root "$work" --method "$1" "$3" >"$work/answer" 2>&1 ||
        { tail -n 30 "$work/answer" >&2; fail "graphrag query --method $1 failed"; }
    grep -q "tables were read" "$work/answer" || { cat "$work/answer" >&2; fail "$1: no answer"; }
    grep -qi -- "$2" "$work/prompts" || fail "$1: what graphrag asked holds no $2"
    echo "$1: answered; $(wc -c <"$work/prompts") characters of prompts"
}
ask global "${EXPECT_GLOBAL:-Scrooge}" "What are the main themes?"
ask local "${EXPECT_LOCAL:-Scrooge}" "Who is Scrooge?"
ask basic "${EXPECT_BASIC:-Scrooge}" "Who is Scrooge?"
