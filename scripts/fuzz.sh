#!/usr/bin/env bash
# Fuzzing led by coverage with stable Rust: scripts/fuzz.sh CPU_SECONDS [TARGET...]; all targets of fuzz/ unless some are named.
# Each runs in turn, at idle priority, until it has taken so many seconds of CPU. What is built and what is kept lies in
# $FUZZ_DIR (target/fuzz); inputs that fail stay in $FUZZ_DIR/found. Ends with 1 where any input failed.
set -euo pipefail
cd "$(dirname "$0")/.."
# Linux weighs sessions against each other before it looks at the priority in them
{ echo 19 > /proc/self/autogroup; } 2>/dev/null || true
[ $# -gt 0 ] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
seconds=$1
shift
[ $# -gt 0 ] || set -- document library parse table text
FUZZ_DIR=$(mkdir -p "${FUZZ_DIR:-target/fuzz}" && cd "${FUZZ_DIR:-target/fuzz}" && pwd)

# a wrapper of rustc that counts edges of our crate and of what reads formats; all else would only be slower
cat > "$FUZZ_DIR/rustc" <<'WRAPPER'
#!/bin/sh
case " $* " in
*" --crate-name graphwright "* | *" --crate-name html5ever "* | *" --crate-name quick_xml "* | *" --crate-name parquet "* | \
*" --crate-name calamine "* | *" --crate-name cfb "* | *" --crate-name mail_parser "* | *" --crate-name csv_core "* | \
*" --crate-name pdfrum"* | *" --crate-name zip "* | *" --crate-name serde_json "*)
    exec "$@" -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
        -Cllvm-args=-sanitizer-coverage-trace-compares ;;
*) exec "$@" ;;
esac
WRAPPER
chmod +x "$FUZZ_DIR/rustc"
cp -n Cargo.lock fuzz/Cargo.lock 2>/dev/null || true
programs=()
for target in "$@"; do programs+=(--bin "$target"); done
RUSTC_WRAPPER="$FUZZ_DIR/rustc" CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=0 \
    chrt --idle 0 cargo build --manifest-path fuzz/Cargo.toml --target-dir "$FUZZ_DIR/target" "${programs[@]}"

exec chrt --idle 0 python3 - "$FUZZ_DIR" "$seconds" "$@" <<'PYTHON'
import os, re, resource, subprocess, sys
from pathlib import Path

home, wanted, targets = Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
ENDINGS = re.findall(r'"(\w+)"', re.search(r"ENDINGS[^=]*= \[(.*?)\];", Path("fuzz/fuzz_targets/document.rs").read_text(), re.S)[1])
FOLDERS = {"document": "documents", "library": "library", "parse": "parse", "table": "tables", "text": "texts"}
LIMIT = 60_000  # bytes of a seed


def seeds(target):
    """Corpus of the repository; of documents and lists each behind the byte that chooses its form."""
    folders = [Path("fuzz/corpus") / FOLDERS[target]] + [Path("tests/fixtures/documents")] * (target == "document")
    forms = {"document": ENDINGS, "library": ["csv", "tsv", "jsonl", "md"]}.get(target)
    for path in sorted(path for folder in folders for path in folder.iterdir() if path.is_file()):
        form = path.suffix.lstrip(".")
        if path.stat().st_size <= LIMIT and (forms is None or form in forms):
            yield path.name, (bytes([forms.index(form)]) if forms else b"") + path.read_bytes()


def spent():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


failed = False
for target in targets:
    kept, found = home / "kept" / target, home / "found" / target
    kept.mkdir(parents=True, exist_ok=True)
    found.mkdir(parents=True, exist_ok=True)
    for name, content in seeds(target):
        (kept / f"seed-{name}").write_bytes(content)
    begin, runs, told = spent(), 0, ""
    while spent() - begin < wanted:
        command = [str(home / "target/debug" / target), str(kept), f"-artifact_prefix={found}/", "-max_len=65536"]
        command += ["-timeout=120", "-rss_limit_mb=6000", f"-max_total_time={max(10, min(600, int(wanted - spent() + begin)))}"]
        command += ["-dict=fuzz/parse.dict"] * (target == "parse")
        done = subprocess.run(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, errors="replace")
        told = (re.findall(r"cov: \d+ ft: \d+ corp: \S+", done.stderr) or [told])[-1]
        runs += int((re.findall(r"^(?:Done |#)(\d+)", done.stderr, re.M) or ["0"])[-1])
        if done.returncode:
            failed = True
            print(f"{target}: an input failed and lies in {found}\n" + done.stderr[-3000:], flush=True)
            break
        print(f"{target}: {spent() - begin:.0f} s of CPU, {runs} inputs; {told}", flush=True)
sys.exit(failed)
PYTHON
