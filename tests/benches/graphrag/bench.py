#!/usr/bin/env python3
"""Ours and microsoft/graphrag over one corpus against one scripted endpoint, in one run; prints markdown tables.

  bench.py SHARED WORK GRAPHWRIGHT      called by scripts/bench-graphrag.sh, which tells the settings
"""
import json, math, os, re, shutil, signal, sqlite3, subprocess, sys, threading, time, urllib.request, zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHARED, WORK, PROGRAM = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
PARTS = os.environ.get("PARTS", "ours peer faults estimate").split()
PORT = int(os.environ.get("PORT", "8765"))
PYTHON = WORK / "venv/bin/python"
BASE = f"http://127.0.0.1:{PORT}"
LATENCY_MS, CONCURRENCY = 200, 25


def call(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE + path, data=data, headers={"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)


def waits(pid, seen):
    """Seconds that each thread of a process has waited for a CPU, as far as it lives."""
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            fields = Path(f"/proc/{pid}/task/{task}/schedstat").read_text().split()
            seen[task] = int(fields[1]) / 1e9
    except (OSError, IndexError):
        pass


def measure(command, cwd, environment=None):
    """Runs a command; wall, CPU seconds, peak MB, seconds that its most delayed thread waited for a CPU."""
    log = open(WORK / "last.log", "w")
    start = time.monotonic()
    child = subprocess.Popen([str(part) for part in command], cwd=cwd, stdout=subprocess.PIPE, stderr=log,
                             env={**os.environ, **(environment or {})}, text=True)
    seen, out = {}, []
    reader = threading.Thread(target=lambda: out.append(child.stdout.read()))
    reader.start()
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            break
        waits(child.pid, seen)
        time.sleep(0.05)
    wall = time.monotonic() - start
    reader.join()
    log.close()
    code = os.waitstatus_to_exitcode(status)
    child.returncode = code
    return {"code": code, "wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss / 1024,
            "waited": max(seen.values(), default=0.0), "out": out[0], "log": (WORK / "last.log").read_text()}


CONFIG = """
[llm]
provider = "openai"
base_url = "{base}/v1"
model = "mock"
api_key = "none"
concurrency = {concurrency}
{llm}
[llm.extra_body]
metadata = {{ mock_task = "{{task}}" }}
[llm.prices.mock]
input = 0.4
output = 1.6
[llm.prices.mock-embedding]
input = 0.02
[embeddings]
provider = "openai"
base_url = "{base}/v1"
model = "mock-embedding"
api_key = "none"
dimension = 384
[extraction]
{extraction}
"""


def ours(name, corpus, llm="", extraction="", arguments=("index",), fresh=True, stores=()):
    folder = WORK / "ours" / name
    if fresh:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    config = CONFIG.format(base=BASE, concurrency=CONCURRENCY, llm=llm, extraction=extraction)
    (folder / "graphwright.toml").write_text(config)
    return measure([PROGRAM, *stores, *arguments, *([corpus] if corpus else []), "--json"], folder)


def report(run):
    try:
        return json.loads(run["out"].strip().splitlines()[-1])
    except (IndexError, ValueError):
        raise SystemExit(f"graphwright failed ({run['code']}):\n{run['log'][-2000:]}")


def exported(name):
    """Everything in a workspace, as text; what a calm and a failing run must have alike."""
    folder = WORK / "ours" / name
    target = folder / "export"
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run([str(PROGRAM), "export", str(target), "--quiet"], cwd=folder, check=True, capture_output=True)
    return {path.name: path.read_text() for path in sorted(target.iterdir())}


def levels(name):
    """Communities of each level of the current generation whose report a model wrote, finest last."""
    file = sqlite3.connect(WORK / "ours" / name / ".graphwright/default.sqlite")
    rows = file.execute("""SELECT c.level, count(*), sum(c.composed = 0) FROM communities c JOIN community_validity v
        ON v.community = c.node JOIN workspace w WHERE v.first <= w.generation AND v.until > w.generation
        GROUP BY c.level ORDER BY c.level""").fetchall()
    file.close()
    return rows


def waves(stats, name, unit_count):
    """Seconds of waiting that no client can avoid: dependent waves of calls, CONCURRENCY at once."""
    tasks = stats["tasks"]
    rounds = lambda calls: math.ceil(calls / CONCURRENCY)
    per_unit = sum(tasks.get(task, {}).get("calls", 0) for task in ("extract_graph", "glean_check", "glean_continue", "repair_reply")) / unit_count
    extraction = rounds(unit_count) * math.ceil(per_unit)
    summaries = rounds(tasks.get("summarise_descriptions", {}).get("calls", 0))
    reports = sum(rounds(written) for _, _, written in levels(name))
    # entities, text units and reports one after the other, 8 calls at once
    embeddings = 3
    return (extraction + summaries + reports + embeddings) * LATENCY_MS / 1000


GRAPHRAG = ["extract_graph", "summarize_descriptions", "community_report", "embed"]
OURS = ["extract_graph", "glean_continue", "repair_reply", "summarise_descriptions", "community_report", "repair_report", "embed"]


def peer_root(name, memory_profiler=True):
    root = WORK / "peer" / name
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    tool = WORK / "venv/bin/graphrag"
    subprocess.run([str(tool), "init", "--root", str(root), "--model", "gpt-4.1", "--embedding", "text-embedding-3-large"],
                   check=True, capture_output=True)
    settings = root / "settings.yaml"
    text = settings.read_text()
    lines = []
    for line in text.splitlines():
        lines.append(line)
        if re.match(r"\s+model: (gpt-4\.1|text-embedding-3-large)", line):
            lines.append(re.match(r"\s+", line).group(0) + f"api_base: {BASE}/v1")
    text = "\n".join(lines) + "\n"
    text = re.sub(r"(vector_store:\n)", r"\1  vector_size: 384\n", text) if "vector_size" not in text else re.sub(r"vector_size: \d+", "vector_size: 384", text)
    settings.write_text(text)
    (root / ".env").write_text("GRAPHRAG_API_KEY=none\n")
    shutil.rmtree(root / "input", ignore_errors=True)
    shutil.copytree(SHARED / "bench/graphrag/corpus", root / "input")
    for file in (root / "input").iterdir():
        file.chmod(0o644)
    return root


def peer(name, profiler=True):
    root = peer_root(name)
    command = [WORK / "venv/bin/graphrag", "index", "--root", root, "--skip-validation"]
    if not profiler:
        code = ("import sys, tracemalloc; tracemalloc.start = lambda *a: None; tracemalloc.get_traced_memory = lambda: (0, 0); "
                "tracemalloc.stop = lambda: None; sys.argv = ['graphrag', 'index', '--root', %r, '--skip-validation']; "
                "from graphrag.cli.main import app; app()" % str(root))
        command = [PYTHON, "-c", code]
    return measure(command, root), root


def peer_counts(root):
    code = ("import pandas as pd, json, sys; d = sys.argv[1] + '/output/'; "
            "print(json.dumps({n: len(pd.read_parquet(d + n + '.parquet')) for n in "
            "('text_units', 'entities', 'relationships', 'communities', 'community_reports')}))")
    run = subprocess.run([str(PYTHON), "-c", code, str(root)], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def speed_row(what, run, stats, note=""):
    print(f"| {what} | {run['cpu']:.1f} | {run['wall']:.1f} | {run['wall'] - run['waited']:.1f} | {run['peak']:.0f} | {stats['inflight_max']} | {note} |")


def calls_table(title, tables):
    print(f"\n{title}\n")
    print("| system | calls for | calls | input tokens | output tokens |\n| --- | --- | --- | --- | --- |")
    for system, tasks in tables:
        total = [0, 0, 0]
        for task in sorted(tasks, key=lambda t: (OURS + GRAPHRAG).index(t) if t in OURS + GRAPHRAG else 99):
            row = tasks[task]
            numbers = [row["calls"], row["input_tokens"], row["output_tokens"]]
            if task != "embed":
                total = [a + b for a, b in zip(total, numbers)]
            print(f"| {system} | {task} | {numbers[0]} | {numbers[1]} | {numbers[2]} |")
        print(f"| {system} | all but embeddings | {total[0]} | {total[1]} | {total[2]} |")


def main():
    server = subprocess.Popen([str(PYTHON), "-B", str(HERE / "endpoint.py"), str(SHARED / "bench/graphrag/mock_server.py"), "--port", str(PORT)])
    try:
        for _ in range(100):
            try:
                call("/stats")
                break
            except OSError:
                time.sleep(0.1)
        parts(SHARED / "bench/graphrag/corpus")
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()


def endpoint_cpu():
    return call("/stats")["cpu_s"]


def spans_table(spans):
    print("\nWhen the calls of each kind ran at 200 ms per reply, in seconds of the first one:\n")
    print("| calls for | first | last reply |\n| --- | --- | --- |")
    for task, (first, last) in sorted(spans.items(), key=lambda item: item[1]):
        print(f"| {task} | {first:.1f} | {last:.1f} |")


def begin(latency=0, **more):
    call("/config", {"latency_ms": latency, "faults": 0, "usage": 1, **more})
    call("/reset", {})


def parts(corpus):
    if "ours" in PARTS or "peer" in PARTS:
        print("| run | CPU s | wall s | wall s less the longest wait for a CPU | peak MB | most in flight | |\n| --- | --- | --- | --- | --- | --- | --- |")
    tables, kept = [], {}
    if "ours" in PARTS:
        # the endpoint computes every reply once: from then on only the system is measured
        for latency, name, what in ((0, "first", "replies at once, computed by the endpoint meanwhile"),
                                    (0, "at-once", "replies at once"), (LATENCY_MS, "200ms", "200 ms per reply")):
            begin(latency)
            before = endpoint_cpu()
            run = ours(name, corpus)
            stats, told = call("/stats"), report(run)
            note = f"the endpoint's own CPU: {stats['cpu_s'] - before:.1f} s"
            if latency:
                path = waves(stats, name, told["text_units"])
                note += f"; critical path {path:.1f} s; + 0.6 × CPU = {path + 0.6 * run['cpu']:.1f} s"
                spans = stats["spans"]
            speed_row(f"graphwright, {what}", run, stats, note)
            sys.stdout.flush()
            if name == "at-once":
                tables.append(("graphwright", stats["tasks"]))
            kept[name] = told
        for url in [os.environ.get("SERVICES", "")]:
            if url:
                graph, vectors = url.split(",")
                for latency in (0, LATENCY_MS):
                    begin(latency)
                    stores = ("--graph", graph, "--vectors", vectors, "--workspace", f"bench_{latency}_{int(time.time())}")
                    run = ours("services", corpus, stores=stores)
                    report(run)
                    what = f"{latency} ms per reply" if latency else "replies at once"
                    speed_row(f"graphwright on Neo4j and Qdrant, {what}", run, call("/stats"))
    if "peer" in PARTS:
        for latency, profiler, what in ((0, False, "replies at once, its memory profiler off"), (LATENCY_MS, False, "200 ms per reply, its memory profiler off"),
                                         (0, True, "replies at once"), (LATENCY_MS, True, "200 ms per reply"))[:int(os.environ.get("PEER_RUNS", "4"))]:
            begin(latency)
            run, root = peer(f"run-{latency}-{int(profiler)}", profiler)
            if run["code"]:
                print(f"| graphrag 3.3.0, {what} | failed: {run['log'][-300:]!r} |")
                continue
            stats = call("/stats")
            speed_row(f"microsoft/graphrag 3.3.0, {what}", run, stats)
            sys.stdout.flush()
            if not latency and not profiler:
                tables.append(("microsoft/graphrag", stats["tasks"]))
                kept["peer"] = peer_counts(root)
    if tables:
        if "ours" in PARTS:
            spans_table(spans)
        calls_table("Calls and tokens (characters / 4, as the endpoint counts them), replies at once:", tables)
        print("\n| system | text units | entities | relationships | communities | reports by a model |\n| --- | --- | --- | --- | --- | --- |")
        if "at-once" in kept:
            told = kept["at-once"]
            print(f"| graphwright | {told['text_units']} | {told['entities']} | {told['relationships']} | {told['communities']} | {told['reports']} |")
        if "peer" in kept:
            told = kept["peer"]
            print(f"| microsoft/graphrag | {told['text_units']} | {told['entities']} | {told['relationships']} | {told['communities']} | {told['community_reports']} |")
    if "faults" in PARTS:
        faults(corpus)
    if "estimate" in PARTS:
        estimate(corpus)


def faults(corpus):
    """An endpoint that fails: every unit done or named, nothing paid for twice, the calm graph."""
    begin(0)
    ours("calm", corpus)
    calm = exported("calm")
    begin(0, faults=1, late_s=float(os.environ.get("LATE_S", "120")))
    run = ours("failing", corpus, llm="retries = 7")
    told, stats = report(run), call("/stats")
    failing = exported("failing")
    # what failed by name is asked for again, calmly: then nothing may differ
    begin(0)
    ours("failing", None, llm="retries = 7", arguments=("index", "--retry-failed"), fresh=False)
    mended = exported("failing")
    print("\nAn endpoint that fails: 20 % 429, 5 % 500, 5 % dropped, 5 % garbage, 1 % late\n")
    print("| | |\n| --- | --- |")
    rows = [("faults met", json.dumps(stats["faults"])), ("wall s", f"{run['wall']:.1f}"), ("exit code", run["code"]),
            ("text units, failed by name", f"{told['text_units']}, {told['failed']}"),
            ("requests that got more than one whole reply", f"{len(stats['delivered_twice'])} {' '.join(stats['delivered_twice'])}"),
            ("text units that failed", "; ".join(told["problems"])),
            ("files of the export equal to the calm run's", equal(calm, failing)),
            ("after a calm index --retry-failed", equal(calm, mended))]
    for what, value in rows:
        print(f"| {what} | {value} |")


def equal(calm, other):
    differing = [name for name in calm if calm[name] != other.get(name)]
    return f"{len(calm) - len(differing)} of {len(calm)}" + (f" (not {', '.join(differing)})" if differing else "")


def estimate(corpus):
    podcasts = WORK / "podcasts"
    if not podcasts.exists():
        with zipfile.ZipFile(SHARED / "data/corpora/podcasts.zip") as archive:
            archive.extractall(podcasts)
    carol = SHARED / "data/corpora/a-christmas-carol.txt"
    print("\n`index --dry-run` against the run that follows (tokens counted by graphwright, none reported by the endpoint)\n")
    print("| corpus | stage | calls, estimated | calls, run | input, estimated | input, run | output, estimated | output, run | largest error |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    all_on = 'resolution = "model"\n[raptor]\nenabled = true\n[reader]\nenabled = true'
    for name, path, more in (("Carol", carol, ""), ("podcasts", podcasts / "input", ""), ("1 MB", corpus, ""),
                             ("Carol, all on", carol, all_on), ("podcasts, all on", podcasts / "input", all_on)):
        if name not in os.environ.get("ESTIMATES", name).split(";"):
            continue
        begin(0, usage=0)
        folder = f"estimate-{name.replace(' ', '-').replace(',', '')}"
        planned = report(ours(folder, path, extraction=more, arguments=("index", "--dry-run")))
        assert call("/stats")["requests_seen"] == 0, "a dry run asks nobody"
        told = report(ours(folder, path, extraction=more, fresh=False))
        if os.environ.get("TASKS"):
            print(json.dumps(told["ledger"]))
        stages = {}
        for row in told["ledger"]:
            sums = stages.setdefault(STAGE.get(row["task"], row["task"]), {"calls": 0, "input_tokens": 0, "output_tokens": 0})
            for field in sums:
                sums[field] += row[field]
        together = {}
        for stage in sorted(set(stages) - {row["stage"] for row in planned["stages"]}):
            planned["stages"].append({"stage": stage, "calls": 0, "input_tokens": 0, "output_tokens": 0})
        for row in planned["stages"]:
            real = stages.get(row["stage"], {"calls": 0, "input_tokens": 0, "output_tokens": 0})
            error = 0.0
            cells = []
            for field in ("calls", "input_tokens", "output_tokens"):
                cells += [row[field], real[field]]
                together.setdefault(field, [0, 0])
                together[field][0] += row[field]
                together[field][1] += real[field]
                if real[field]:
                    error = max(error, abs(row[field] - real[field]) / real[field])
            print(f"| {name} | {row['stage']} | " + " | ".join(str(c) for c in cells) + f" | {error:.0%} |")
        error = max(abs(a - b) / b for a, b in together.values() if b)
        print(f"| {name} | together | " + " | ".join(f"{a} | {b}" for a, b in together.values()) + f" | {error:.0%} |")
        sys.stdout.flush()


STAGE = {"extract_graph": "extraction", "glean_check": "extraction", "glean_continue": "extraction", "repair_reply": "extraction",
         "same_entity": "resolution", "summarise_descriptions": "summaries", "summarise_texts": "summary trees", "extract_facts": "atomic facts", "community_report": "reports", "repair_report": "reports", "embed": "embeddings"}

if __name__ == "__main__":
    main()
