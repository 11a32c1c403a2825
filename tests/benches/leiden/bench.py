"""bench.py SHARED WORK: runs all implementations interleaved, judges them, prints markdown. See scripts/bench-leiden.sh."""
import json, os, statistics, subprocess, sys

import numpy as np

shared, work = sys.argv[1:3]
bench = f"{shared}/bench/leiden"
sys.path.insert(0, bench)
import evaluate

RUNS = int(os.environ.get("RUNS", "3"))
SEEDS = [1, 2, 3]
made = lambda name: f"{work}/graphs/{name}"
real = lambda name: f"{shared}/data/graphs/{name}"
GRAPHS = {name: made(name) for name in ("lfr10k", "lfr100k", "lfr1m", "kg100k")} | {"astro-ph": real("astro-ph")}
chosen = os.environ.get("GRAPHS", " ".join(GRAPHS)).split()
FLAT = {"graphwright (2)": "ours", "single-clustering 0.7.0 (2)": "single", "igraph (2)": "ig", "leidenalg (2)": "la"}
# what takes minutes or says nothing new
SKIPPED = {("igraph (2)", "lfr1m")} | {("leidenalg (2)", name) for name in ("lfr100k", "lfr1m", "kg100k")}


def run(which, graph, seed, out, threads=1):
    """One process; what it printed"""
    environment = os.environ | {"RAYON_NUM_THREADS": str(threads)}
    if which in ("ig", "la", "gnpy_h"):
        command = [sys.executable, "-B", f"{bench}/run_py.py", which, graph, str(seed), out]
        command += ["10" if which == "gnpy_h" else "2"]
    else:
        command = [f"{work}/target/release/driver", which, graph, str(seed), out]
    printed = json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
    if "algo_cpu" in printed:
        printed |= dict(cpu=printed["algo_cpu"], build=printed["cpu_s"] - printed["algo_cpu"],
                        peak_mb=printed["peak_mb"] - printed["base_mb"])
    return printed


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def header(*cells):
    print()
    row(*cells)
    row(*["---"] * len(cells))


def rounds(name):
    return max(1, RUNS // 2) if name == "lfr1m" else RUNS


def flat():
    header("graph", "implementation (iterations)", "CPU s", "ours ÷ it", "building CPU s", "peak MB over edge list",
           "modularity, median of seeds 1–3 (range)", "communities", "disconnected", "missing", "NMI")
    for name in chosen:
        results = {}
        for _ in range(rounds(name)):
            for seed in SEEDS:
                for label, which in FLAT.items():
                    if (label, name) in SKIPPED:
                        continue
                    out = f"{work}/{which}-{name}-{seed}.labels"
                    results.setdefault(label, []).append(run(which, GRAPHS[name], seed, out))
        ours = min(result["cpu"] for result in results["graphwright (2)"])
        for label, which in FLAT.items():
            if label not in results:
                continue
            judged = [evaluate.evaluate(GRAPHS[name], f"{work}/{which}-{name}-{seed}.labels") for seed in SEEDS]
            least = lambda key: min(result[key] for result in results[label])
            q = sorted(judge["Q"] for judge in judged)
            row(name, label, f"{least('cpu'):.4f}", f"{ours / least('cpu'):.2f}", f"{least('build'):.4f}",
                f"{least('peak_mb'):.0f}", f"{q[1]:.5f} ({q[0]:.5f}–{q[2]:.5f})", judged[0]["ncomm"],
                max(judge["disconn"] for judge in judged), max(judge["missing"] for judge in judged),
                judged[0].get("NMI", ""))


def dense():
    """Graphs with many links a node and weak communities: five seeds at two iterations"""
    folder = f"{work}/graphs"
    if not os.path.exists(f"{folder}/d1.n"):
        subprocess.run([sys.executable, "-B", f"{os.path.dirname(__file__)}/dense.py", folder], check=True)
    header("graph", "nodes", "links a node", "implementation (iterations)", "CPU s", "modularity, median of seeds 1–5 (range)")
    for name in (f"d{number}" for number in range(1, 8)):
        node_count, u, v, w, _ = evaluate.graph(f"{folder}/{name}")
        for label, which in FLAT.items():
            if which == "la":
                continue
            out = f"{work}/{which}-{name}.labels"
            cpu, q = [], []
            for seed in range(1, 6):
                cpu.append(run(which, f"{folder}/{name}", seed, out)["cpu"])
                q.append(evaluate.modularity(node_count, u, v, w, np.loadtxt(out, dtype=np.int64)))
            row(name, node_count, f"{2 * len(u) / node_count:.0f}", label, f"{min(cpu):.3f}",
                f"{statistics.median(q):.5f} ({min(q):.5f}–{max(q):.5f})")


def nested():
    header("graph", "implementation", "CPU s from the edge list", "of it clustering", "peak MB over edge list", "levels", "communities",
           "leaves", "leaves > 10", "largest", "disconnected", "nested", "nodes dropped", "modularity at each level")
    for name in chosen:
        if name == "lfr1m":
            continue
        implementations = {"graphwright (2)": "nested", "graspologic-native 1.3.1 (1)": "gnpy_h"}
        results = {}
        for _ in range(max(2, RUNS - 1)):
            for label, which in implementations.items():
                results.setdefault(label, []).append(run(which, GRAPHS[name], 1, f"{work}/{which}-{name}.out"))
        for label, which in implementations.items():
            rows = f"{work}/{which}-{name}.out" + (".hier" if which == "gnpy_h" else "")
            judged = json.loads(subprocess.run([sys.executable, "-B", f"{bench}/hier.py", GRAPHS[name], rows, "10"],
                                               check=True, capture_output=True, text=True).stdout)
            node_count, table = int(open(GRAPHS[name] + ".n").read()), np.loadtxt(rows, dtype=np.int64)
            _, u, v, w, _ = evaluate.graph(GRAPHS[name])
            q = [evaluate.modularity(node_count, u, v, w, total(table, node_count, level))
                 for level in range(judged["levels"])]
            least = lambda key: min(result[key] for result in results[label])
            whole = min(result["cpu"] + result["build"] for result in results[label])
            row(name, label, f"{whole:.3f}", f"{least('cpu'):.3f}", f"{least('peak_mb'):.0f}", judged["levels"], judged["clusters"],
                judged["final_clusters"], judged["final_gt_max"], judged["final_max"], judged["disconnected_any_level"],
                judged["nested"], judged["dropped"], " ".join(f"{value:.4f}" for value in q))
    print()
    for name in chosen:
        wall = {}
        for threads in (1, 2):
            for _ in range(2):
                result = run("nested", GRAPHS[name], 1, f"{work}/threads{threads}.out", threads)
                wall[threads] = min(wall.get(threads, 1e9), result["wall"])
        same = open(f"{work}/threads1.out").read() == open(f"{work}/threads2.out").read()
        print(f"{name}: hierarchy on 1 thread {wall[1]:.3f} s, on 2 threads {wall[2]:.3f} s of wall time, "
              f"{'the same' if same else 'DIFFERENT'} bytes.  ", flush=True)


def total(table, node_count, level):
    """Each node's cluster at a level, or the one it ended in before; nodes without any are on their own"""
    labels = -1 - np.arange(node_count)
    for at in range(level + 1):
        here = table[table[:, 2] == at]
        labels[here[:, 0]] = here[:, 1]
    return np.unique(labels, return_inverse=True)[1]


def warm():
    header("graph, 1 % of edges replaced", "changes", "cold CPU s", "warm CPU s", "warm / cold", "cold modularity",
           "warm − cold", "unaffected nodes moved")
    for name in chosen:
        command = [f"{work}/target/release/driver", "warm", GRAPHS[name], "1", "-"]
        results = {}
        for _ in range(rounds(name)):
            printed = subprocess.run(command, env=os.environ | {"RAYON_NUM_THREADS": "1"}, check=True,
                                     capture_output=True, text=True).stdout
            for line in printed.splitlines():
                result = json.loads(line)
                results.setdefault(result["changes"], []).append(result)
        for changes, runs in results.items():
            cold, hot = (min(result[key] for result in runs) for key in ("cold", "warm"))
            result = runs[0]
            levels = lambda key: result[key] if isinstance(result[key], list) else [result[key]]
            gained = " ".join(f"{w - c:+.5f}" for w, c in zip(levels("warm_modularity"), levels("cold_modularity")))
            row(name, changes, f"{cold:.4f}", f"{hot:.4f}", f"{hot / cold:.2f}",
                f"{levels('cold_modularity')[0]:.5f}", gained, f"{100 * result['moved']:.2f} %")


def churn():
    header("graph, 1 % of edges replaced by any others", "communities", "hold both ends of a changed edge", "run",
           "communities changed", "reports new", "modularity, level 0")
    for name in os.environ.get("GRAPHS", "lfr10k kg100k astro-ph pgp cora").split():
        graph = GRAPHS.get(name, real(name))
        results = {}
        for seed in SEEDS:
            printed = subprocess.run([f"{work}/target/release/driver", "churn", graph, str(seed), "-"], check=True,
                                     capture_output=True, text=True).stdout
            for line in printed.splitlines():
                result = json.loads(line)
                results.setdefault(result["run"], []).append(result)
        for run, runs in results.items():
            mean = lambda key: statistics.mean(result[key] for result in runs)
            row(name, f"{mean('communities'):.0f}", f"{100 * mean('touched'):.1f} %", run, f"{100 * mean('changed'):.1f} %",
                f"{100 * mean('reports'):.1f} %", f"{mean('modularity'):.5f}")


def carol():
    import pandas
    from sklearn.metrics import adjusted_rand_score

    folder = f"{shared}/data/msgraphrag/christmas-carol"
    entities = pandas.read_parquet(f"{folder}/entities.parquet")
    relationships = pandas.read_parquet(f"{folder}/relationships.parquet")
    titles = list(entities.title)
    titles += sorted((set(relationships.source) | set(relationships.target)) - set(titles))
    number = {title: place for place, title in enumerate(titles)}
    golden = json.load(open(f"{folder}/leiden_golden_seed_deadbeef.json"))
    theirs = np.array([(number[title], community["community"], community["level"], community["parent"], 0)
                       for community in golden for title in community["titles"]])
    print(f"\nThe Carol: {len(relationships)} relationships, {len(entities)} entities, {len(titles) - len(entities)} "
          f"endpoints that are no entities; its {len(golden)} communities as they came from its Leiden run.")
    header("weights of repeated relationships", "communities by", "level", "communities", "largest", "median",
           "entities without one", "modularity of the total partition", "ARI with theirs")
    for repeated in ("summed", "last kept, as theirs"):
        pairs = {}
        for source, target, weight in zip(relationships.source, relationships.target, relationships.weight):
            pair = tuple(sorted((number[source], number[target])))
            pairs[pair] = weight + (pairs.get(pair, 0) if repeated == "summed" else 0)
        u, v, w = (np.array(column) for column in zip(*[(*pair, weight) for pair, weight in pairs.items()]))
        graph = f"{work}/graphs/carol"
        np.savetxt(f"{graph}.txt", np.column_stack([u, v, w]), fmt=["%d", "%d", "%.17g"])
        open(f"{graph}.n", "w").write(f"{len(titles)}\n")
        arms = {"microsoft/graphrag": theirs}
        for seed in SEEDS:
            run("nested", graph, seed, f"{work}/carol-{seed}.out")
            arms[f"graphwright, seed {seed}"] = np.loadtxt(f"{work}/carol-{seed}.out", dtype=np.int64)
        for label, table in arms.items():
            without = len(entities) - len(np.unique(table[table[:, 0] < len(entities), 0]))
            for level in range(int(table[:, 2].max()) + 1):
                sizes = np.unique(table[table[:, 2] == level, 1], return_counts=True)[1]
                labels, reference = total(table, len(titles), level), total(theirs, len(titles), level)
                row(repeated, label, level, len(sizes), sizes.max(), f"{np.median(sizes):.0f}", without,
                    f"{evaluate.modularity(len(titles), u, v, w, labels):.4f}",
                    f"{adjusted_rand_score(reference, labels):.3f}")


print(f"Minima of CPU seconds over {RUNS} interleaved rounds (half as many for lfr1m) of seeds 1–3, one thread.")
for part in os.environ.get("PARTS", "flat nested warm churn carol").split():
    {"flat": flat, "nested": nested, "warm": warm, "churn": churn, "carol": carol, "dense": dense}[part]()
