#!/usr/bin/env bash
# Measures retrieval without a language model on the question sets of a data folder, through `graphwright eval`:
# prints a table a set, and keeps the runs for `graphwright eval --compare`.
#   scripts/bench-retrieval.sh DATA [SET...]     SET: musique hotpotqa 2wiki many   (default: the first three)
# DATA holds qa/SET/corpus.json and questions.json. "many" is the 2wiki corpus again and again under other names, up to
# PASSAGES (default 100000), by words alone: how fast `local` is at that size.
# MODEL=none leaves embeddings out. Other stores: NEO4J_URI, QDRANT_URL, ... in the environment; WORK keeps the indexes.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
data=$(cd "${1:?DATA folder}" && pwd)
shift
[[ $# -gt 0 ]] || set -- musique hotpotqa 2wiki
work=${WORK:-$root/.services/bench-retrieval}
program=${PROGRAM:-$root/target/release/graphwright}
methods=local,basic,bm25
ablations=local-without-graph,local-without-walk,local-without-words,local-without-subjects
mkdir -p "$work"

[[ -x $program ]] || (cd "$root" && cargo build --release)
if [[ ${MODEL:-} == none ]]; then
    printf '[embeddings]\nprovider = "none"\n' >"$work/graphwright.toml"
else
    folder=$("$root/scripts/embedding-model.sh")
    printf '[embeddings]\nprovider = "local"\npath = "%s"\n' "$folder" >"$work/graphwright.toml"
    methods=$methods,dense
    ablations=$ablations,local-without-dense
fi

evaluate() { # SET CORPUS QUESTIONS METHODS
    printf '\n%s\n\n' "$1"
    "$program" --config "$work/graphwright.toml" --data "$work/data" --workspace "$1" eval \
        --corpus "$2" --questions "$3" --methods "$4" --out "$work/runs/$1"
}

many() { # the 2wiki passages under other names: every title gets a number, in the text as well
    python3 - "$data/qa/2wiki/corpus.json" "$work/many.json" "${PASSAGES:-100000}" <<'PYTHON'
import json
import sys

source, target, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
passages = json.load(open(source))
out = list(passages)
copy = 0
while len(out) < count:
    copy += 1
    for passage in passages[: count - len(out)]:
        base = passage["title"].split(" (")[0]
        name = f"{base} Copy{copy}"
        out.append({"title": passage["title"].replace(base, name, 1), "text": passage["text"].replace(base, name)})
json.dump(out, open(target, "w"), ensure_ascii=False)
PYTHON
}

for set in "$@"; do
    case $set in
    many)
        many
        printf '[embeddings]\nprovider = "none"\n' >"$work/graphwright.toml"
        evaluate many "$work/many.json" "$data/qa/2wiki/questions.json" local,bm25
        ;;
    *) evaluate "$set" "$data/qa/$set/corpus.json" "$data/qa/$set/questions.json" "$methods,$ablations" ;;
    esac
done
