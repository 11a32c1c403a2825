"""Measures UMAP and mixtures beside umap-learn and scikit-learn; prints markdown. Called by scripts/bench-umap.sh."""

import json
import os
import pathlib
import subprocess
import sys
import time
import warnings

os.environ["OMP_NUM_THREADS"] = os.environ["NUMBA_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
warnings.filterwarnings("ignore")

import numpy as np
import umap
from sklearn.manifold import trustworthiness
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import NearestNeighbors

WORK = pathlib.Path(sys.argv[1])
SEEDS = range(1, int(os.environ.get("RUNS", "3")) + 1)
ROWS = int(os.environ.get("ROWS", "5000"))


def driver(*arguments, threads="1"):
    out = subprocess.run([WORK / "target/release/driver", *map(str, arguments)], check=True, capture_output=True,
                         text=True, env={**os.environ, "RAYON_NUM_THREADS": threads})
    return json.loads(out.stdout)


def clouds(noise):
    random = np.random.default_rng(7)
    labels = random.integers(0, 20, ROWS)
    points = random.normal(0, 1, (20, 384))[labels] + random.normal(0, noise, (ROWS, 384))
    return (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32), labels


def quality(points, labels, layout):
    near = NearestNeighbors(n_neighbors=11).fit(layout).kneighbors(layout, return_distance=False)[:, 1:]
    some = np.random.default_rng(1).choice(len(points), 2000, replace=False)
    trust = trustworthiness(points[some], layout[some], n_neighbors=10, metric="cosine")
    return float((labels[near] == labels[:, None]).mean()), float(trust)


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def umap_table():
    print(f"\nUMAP of {ROWS} x 384, 20 clusters, cosine, 15 neighbours; CPU seconds of one thread, least of seeds "
          f"{SEEDS[0]}–{SEEDS[-1]}; purity of 10 neighbours and trustworthiness, worst of the seeds.\n")
    row("noise", "columns", "implementation", "CPU s", "purity", "trustworthiness")
    row(*["---"] * 6)
    umap.UMAP(random_state=1, init="pca").fit(np.random.default_rng(1).normal(size=(200, 8)).astype(np.float32))
    for noise in [1.0, 3.0]:
        points, labels = clouds(noise)
        points.tofile(WORK / "points.f32")
        for columns in [2, 10]:
            found = {"graphwright": [], "umap-learn " + umap.__version__: []}
            for seed in SEEDS:
                said = driver("umap", WORK / "points.f32", 384, columns, 15, "cosine", seed, WORK / "layout.f32")
                layout = np.fromfile(WORK / "layout.f32", np.float32).reshape(-1, columns)
                found["graphwright"].append((said["cpu"], *quality(points, labels, layout)))
                begun = time.process_time()
                layout = umap.UMAP(n_components=columns, n_neighbors=15, metric="cosine", init="pca",
                                   random_state=seed, n_jobs=1).fit_transform(points)
                cpu = time.process_time() - begun
                found["umap-learn " + umap.__version__].append((cpu, *quality(points, labels, layout)))
            for name, runs in found.items():
                row(noise, columns, name, f"{min(r[0] for r in runs):.2f}", f"{min(r[1] for r in runs):.3f}",
                    f"{min(r[2] for r in runs):.4f}")
            if columns == 10 and noise == 3.0:
                layout.astype(np.float32).tofile(WORK / "reduced.f32")
                reduced = layout.astype(np.float64)
    return reduced


def mixture_table(reduced):
    import sklearn
    print(f"\nMixtures on umap-learn's 10 columns of the noise 3 data; one fit from k-means, tolerance 1e-3; median "
          f"log-likelihood a row and BIC of seeds {SEEDS[0]}–{SEEDS[-1]}, least CPU seconds of one thread.\n")
    row("covariance", "components", "implementation", "CPU s", "log-likelihood a row", "BIC")
    row(*["---"] * 6)
    for ours, theirs in [("full", "full"), ("diagonal", "diag")]:
        for components in [5, 20, 30]:
            mine, peer = [], []
            for seed in SEEDS:
                said = driver("mixture", WORK / "reduced.f32", 10, components, ours, seed)
                mine.append((said["cpu"], said["log_likelihood"] / len(reduced), said["bic"]))
                begun = time.process_time()
                fitted = GaussianMixture(components, covariance_type=theirs, random_state=seed).fit(reduced)
                peer.append((time.process_time() - begun, fitted.score(reduced), fitted.bic(reduced)))
            for name, runs in [("graphwright", mine), ("scikit-learn " + sklearn.__version__, peer)]:
                row(ours, components, name, f"{min(r[0] for r in runs):.2f}",
                    f"{np.median([r[1] for r in runs]):.3f}", f"{np.median([r[2] for r in runs]):.0f}")


def clusters_table():
    sizes = [int(size) for size in os.environ.get("LAYERS", "1000,10000,100000").split(",") if size]
    print("\nOne layer of a summary tree clustered with the default settings (384 columns, two threads).\n")
    row("nodes", "groups", "memberships a node", "CPU s", "wall s", "peak MB")
    row(*["---"] * 6)
    for size in sizes:
        said = driver("clusters", size, 384, threads="2")
        row(size, said["groups"], f"{said['held'] / size:.2f}", f"{said['cpu']:.1f}", f"{said['wall']:.1f}",
            said["peak_mb"])


if os.environ.get("PEERS", "1") == "1":
    mixture_table(umap_table())
clusters_table()
