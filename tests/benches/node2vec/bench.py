"""bench.py SHARED WORK: Node2Vec beside PecanPy and gensim; prints markdown. See scripts/bench-node2vec.sh."""

import json
import os
import pathlib
import resource
import subprocess
import sys
import time

os.environ["OMP_NUM_THREADS"] = os.environ["NUMBA_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

SHARED, WORK = map(pathlib.Path, sys.argv[1:3])
RUNS = int(os.environ.get("RUNS", "3"))
GRAPHS = os.environ.get("GRAPHS", "lfr10k pgp astro-ph").split()
# dimensions, window, p, q; 10 walks of 40 nodes from each, 5 negative samples, one epoch
SETTINGS = [tuple(map(float, one.split(":")))
            for one in os.environ.get("SETTINGS", "64:5:1:1 128:5:1:1 64:5:0.5:2").split()]
HIDDEN = 0.1


def peer():
    """One run of PecanPy and gensim, in a process of its own so that its memory can be told."""
    import tempfile

    from gensim.models import Word2Vec
    from pecanpy import pecanpy
    edges, nodes, dimensions, window, p, q, seed, out = sys.argv[4:]
    dimensions, window, seed, p, q = int(dimensions), int(window), int(seed), float(p), float(q)
    weighted = any(not line.split()[2] == "1" for line in open(edges))

    def walks(path):
        kind = pecanpy.FirstOrderUnweighted if p == q == 1 and not weighted else pecanpy.SparseOTF
        graph = kind(p=p, q=q, workers=1, random_state=seed)
        graph.read_edg(path, weighted=True, directed=False)
        begun = time.process_time()
        graph.preprocess_transition_probs()
        found = graph.simulate_walks(num_walks=10, walk_length=39)
        return found, time.process_time() - begun

    with tempfile.NamedTemporaryFile("w", suffix=".edg") as small:  # compiles the loops
        small.write("0\t1\t1\n1\t2\t1\n2\t0\t2\n")
        small.flush()
        walks(small.name)
    tabs = out + ".edg"
    open(tabs, "w").write("".join("\t".join(line.split()) + "\n" for line in open(edges)))
    found, walking = walks(tabs)
    begun = time.process_time()
    model = Word2Vec(found, vector_size=dimensions, window=window, sg=1, min_count=0, workers=1, negative=5, epochs=1,
                     seed=seed)
    training = time.process_time() - begun
    vectors = np.zeros((int(nodes), dimensions), np.float32)
    for name, place in model.wv.key_to_index.items():
        vectors[int(name)] = model.wv.vectors[place]
    vectors.tofile(out)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"cpu": walking + training, "walking": walking, "peak_mb": peak}))


def run(which, edges, nodes, settings, seed):
    dimensions, window, p, q = settings
    out = WORK / "vectors.f32"
    arguments = [edges, nodes, int(dimensions), int(window), p, q, seed, out]
    command = [WORK / "target/release/driver"] if which == "graphwright" else [sys.executable, "-B", *sys.argv, "peer"]
    printed = subprocess.run([*map(str, command), *map(str, arguments)], check=True, capture_output=True, text=True,
                             env={**os.environ, "RAYON_NUM_THREADS": "1"}).stdout
    return json.loads(printed.splitlines()[-1]), np.fromfile(out, np.float32).reshape(nodes, -1)


def split(name):
    """Edges that are shown, edges that are hidden, and as many pairs that are no edge; every node keeps an edge."""
    base = WORK / "graphs" / name if name.startswith("lfr") else SHARED / "data/graphs" / name
    edges = np.loadtxt(f"{base}.txt", dtype=np.int64)
    nodes = int(open(f"{base}.n").read())
    random = np.random.default_rng(5)
    degree = np.bincount(edges[:, :2].ravel(), minlength=nodes)
    hidden = np.zeros(len(edges), bool)
    for place in random.permutation(len(edges)):
        one, other = edges[place, :2]
        if degree[one] > 1 and degree[other] > 1:
            hidden[place] = True
            degree[[one, other]] -= 1
        if hidden.sum() >= HIDDEN * len(edges):
            break
    known = set((edges[:, 0] * nodes + edges[:, 1]).tolist()) | set((edges[:, 1] * nodes + edges[:, 0]).tolist())
    wanted = 2 * int(hidden.sum())
    none = []
    while len(none) < wanted:
        one, other = random.integers(0, nodes, 2).tolist()
        if one != other and one * nodes + other not in known and degree[one] and degree[other]:
            none.append((one, other))
    path = WORK / f"{name}.shown"
    np.savetxt(path, edges[~hidden], fmt="%d")
    return path, nodes, edges[~hidden][:, :2], edges[hidden][:, :2], np.array(none)


def aucs(vectors, shown, hidden, none):
    """By the cosine, and by a logistic regression on products of the columns learned from shown edges (the paper's)."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    half = len(none) // 2
    product = lambda pairs: unit[pairs[:, 0]] * unit[pairs[:, 1]]
    test = np.vstack([product(hidden), product(none[:half])])
    truth = np.repeat([1, 0], [len(hidden), half])
    some = shown[np.random.default_rng(1).choice(len(shown), half, replace=False)]
    learned = LogisticRegression(max_iter=500).fit(np.vstack([product(some), product(none[half:])]),
                                                   np.repeat([1, 0], [half, len(none) - half]))
    return roc_auc_score(truth, test.sum(axis=1)), roc_auc_score(truth, learned.decision_function(test))


def main():
    import gensim
    print(f"Least CPU seconds of one thread over {RUNS} rounds (seeds 1–{RUNS}); AUC of {HIDDEN:.0%} hidden edges against "
          "as many pairs that are none, median: by the cosine, by a logistic regression on products of the columns.\n")
    row = lambda *cells: print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    row("graph", "nodes", "edges", "dimensions", "p, q", "implementation", "CPU s (walks)", "peak MB", "AUC cosine",
        "AUC regression")
    row(*["---"] * 10)
    for name in GRAPHS:
        path, nodes, shown, hidden, none = split(name)
        for settings in SETTINGS:
            found = {"graphwright": [], f"PecanPy 2.0.9, gensim {gensim.__version__}": []}
            for seed in range(1, RUNS + 1):
                for which, runs in found.items():
                    said, vectors = run(which, path, nodes, settings, seed)
                    runs.append((said["cpu"], said.get("walking"), said["peak_mb"], *aucs(vectors, shown, hidden, none)))
            for which, runs in found.items():
                cpu, walking, _, _, _ = min(runs)
                row(name, nodes, len(shown), int(settings[0]), f"{settings[2]:g}, {settings[3]:g}", which,
                    f"{cpu:.1f}" + (f" ({walking:.1f})" if walking is not None else ""), min(r[2] for r in runs),
                    *(f"{np.median([r[place] for r in runs]):.4f}" for place in (3, 4)))


if len(sys.argv) > 3 and sys.argv[3] == "peer":
    peer()
else:
    main()
