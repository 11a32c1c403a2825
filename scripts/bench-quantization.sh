#!/usr/bin/env bash
# Recall, latency and memory of Qdrant's quantizations by its own engine: tests/benches/quantization/measure.py.
#   scripts/bench-quantization.sh BASE WORK [COUNT]
# BASE is the file of an embedded workspace with embeddings (`[embeddings] provider = "local"`) or a .npy of rows, WORK a folder that is not there
# yet, COUNT the number of vectors (1,000,000: some 6 GB of disk). scripts/qdrant.sh installs the engine when it is first started.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
python=$root/.services/qdrant-venv/bin/python
[[ -x $python ]] || { echo "scripts/bench-quantization.sh: needs Qdrant's engine: scripts/qdrant.sh start" >&2; exit 1; }
exec "$python" "$root/tests/benches/quantization/measure.py" "${1:?BASE file}" "${2:?WORK folder}" "${3:-1000000}"
