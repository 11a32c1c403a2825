#!/usr/bin/env bash
# Resolves the names of recorded extractions (a real model's: gpt-4o on the Carol, gpt-3.5-turbo on MuSiQue) and prints
# what was joined by which rule, which pairs are left to a model, and a sample of both to judge by hand.
#
#   scripts/bench-resolution.sh [SHARED]
#
# SHARED (default ../shared) holds data. GRAPHWRIGHT (default target/release/graphwright), PORT (default 18473).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
shared=$(cd "${1:-$root/../shared}" && pwd)
graphwright=${GRAPHWRIGHT:-$root/target/release/graphwright}
port=${PORT:-18473}
work=${WORK:-$root/target/bench-resolution}
here=$root/tests/benches/resolution
mkdir -p "$work"

for corpus in carol musique; do
    folder=$work/$corpus
    rm -rf "$folder"
    mkdir -p "$folder"
    python3 "$here/documents.py" "$shared" "$corpus" "$folder/documents"
    python3 "$here/endpoint.py" "$port" "$folder/asked.jsonl" &
    endpoint=$!
    trap 'kill $endpoint 2>/dev/null || true' EXIT
    cat > "$folder/graphwright.toml" <<TOML
[llm]
provider = "openai"
base_url = "http://127.0.0.1:$port/v1"
model = "recorded"
api_key = "none"
[llm.extra_body]
metadata = { task = "{task}" }
[text_units]
size = 100000
overlap = 0
[extraction]
gleanings = 0
linking = false
resolution = "model"
TOML
    sleep 1
    (cd "$folder" && "$graphwright" --config graphwright.toml --data data index documents >&2)
    (cd "$folder" && "$graphwright" --config graphwright.toml --data data --json entities duplicates --limit 100000 \
        > duplicates.json)
    (cd "$folder" && "$graphwright" --config graphwright.toml --data data --json status > status.json)
    kill $endpoint
    wait $endpoint 2>/dev/null || true
    trap - EXIT
    echo "### $corpus: $(python3 -c "import json;s=json.load(open('$folder/status.json'));print(s['entities'],'entities')")," \
        "$(wc -l < "$folder/asked.jsonl") pairs put before the model"
    echo
    python3 "$here/table.py" "$folder/duplicates.json" "$folder/sample.tsv"
    echo
    echo "to judge: $folder/sample.tsv"
    echo
done
