"""Recall, latency and memory of Qdrant's quantizations, by its own engine in this process (qdrant-edge-py), with the settings
that graphwright makes collections with: cosine, m 16, ef_construct 100, quantized vectors in memory, hits scored again by the
originals, oversampling 2 for int8 and 4 for binary.

    scripts/bench-quantization.sh BASE WORK [COUNT]

BASE is the file of an embedded workspace with embeddings, or a .npy of rows. Its vectors, but for the queries, are what COUNT (1,000,000) others
are made of: a vector plus a third of the difference of two others, normalised. Queries are 500 of its vectors themselves.
Prints a table. Each quantization is built and searched in a process of its own.
"""

import json
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import qdrant_edge as edge

QUERIES = 500
NEAREST = 10
SPREAD = 1 / 3
BATCH = 2_000
WIDE = 400
MODES = ["none", "int8", "binary"]
OVERSAMPLING = {"int8": 2.0, "binary": 4.0}


def base_vectors(path):
    """The distinct dense vectors of a workspace's file, or of a .npy: rows of f32, normalised."""
    if path.suffix == ".npy":
        vectors = np.unique(np.load(path), axis=0)
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    dimensions = dict(connection.execute("SELECT collection, dimension FROM vec_collection WHERE dimension IS NOT NULL"))
    rows = []
    for collection, block in connection.execute(
        "SELECT b.collection, v.vectors FROM vec_block b JOIN vec_block_vectors v USING (block) ORDER BY block"
    ):
        if collection in dimensions:
            rows.append(np.frombuffer(block, dtype="<f4").reshape(-1, dimensions[collection]))
    if not rows:
        sys.exit(f"{path} has no dense vectors; wanted a workspace that was indexed with embeddings")
    vectors = np.unique(np.concatenate(rows), axis=0)
    norms = np.linalg.norm(vectors, axis=1)
    return (vectors[norms > 0.5] / norms[norms > 0.5, None]).astype(np.float32)


def make_vectors(base, count, random):
    """`count` vectors around those of `base`."""
    made = np.empty((count, base.shape[1]), dtype=np.float32)
    for start in range(0, count, 50_000):
        size = min(50_000, count - start)
        one, plus, minus = (base[random.integers(0, len(base), size)] for _ in range(3))
        part = one + SPREAD * (plus - minus)
        made[start : start + size] = part / np.linalg.norm(part, axis=1, keepdims=True)
    return made


def exact_nearest(vectors, queries):
    """The places of the nearest of each query, looked for among all."""
    best = np.full((len(queries), 0), 0)
    scores = np.full((len(queries), 0), 0.0)
    for start in range(0, len(vectors), 100_000):
        found = queries @ vectors[start : start + 100_000].T
        top = np.argpartition(-found, NEAREST, axis=1)[:, :NEAREST]
        best = np.concatenate([best, top + start], axis=1)
        scores = np.concatenate([scores, np.take_along_axis(found, top, axis=1)], axis=1)
    order = np.argsort(-scores, axis=1)[:, :NEAREST]
    return np.take_along_axis(best, order, axis=1)


def config(mode, dimension):
    quantization = {
        "none": None,
        "int8": edge.ScalarQuantizationConfig(type=edge.ScalarType.Int8, always_ram=True),
        "binary": edge.BinaryQuantizationConfig(always_ram=True),
    }[mode]
    dense = edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Cosine, on_disk=mode != "none")
    return edge.EdgeConfig(
        vectors={"dense": dense},
        hnsw_config=edge.HnswIndexConfig(m=16, ef_construct=100, full_scan_threshold=10_000),
        quantization_config=quantization,
        optimizers=edge.EdgeOptimizersConfig(default_segment_number=1, max_segment_size=100_000_000, indexing_threshold=10_000),
        wal_enabled=False,
    )


def build(mode, work):
    vectors = np.load(work / "vectors.npy", mmap_mode="r")
    place = work / mode
    place.mkdir()
    shard = edge.EdgeShard.create(str(place), config(mode, vectors.shape[1]))
    begun = time.monotonic()
    for start in range(0, len(vectors), BATCH):
        points = [
            edge.Point(start + at, {"dense": row}, None)
            for at, row in enumerate(vectors[start : start + BATCH].tolist())
        ]
        shard.update(edge.UpdateOperation.upsert_points(points))
    written = time.monotonic()
    while shard.optimize():
        pass
    shard.flush()
    shard.close()
    return {"written_s": written - begun, "indexed_s": time.monotonic() - written}


def resident_mb():
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {key: int(fields[key].split()[0]) / 1024 for key in ("RssAnon", "RssFile")}


def search(mode, work):
    queries = np.load(work / "queries.npy")
    wanted = np.load(work / "nearest.npy")
    before = resident_mb()
    shard = edge.EdgeShard.load(str(work / mode))
    oversampling = OVERSAMPLING.get(mode)
    quantized = oversampling and edge.QuantizationSearchParams(ignore=False, rescore=True, oversampling=oversampling)
    figures = {}
    for ef in (None, WIDE):
        params = edge.SearchParams(hnsw_ef=ef, exact=False, quantization=quantized)
        found, took = 0, []
        for turn in range(2):
            for query, nearest in zip(queries, wanted):
                vector = query.tolist()
                begun = time.perf_counter()
                hits = shard.search(edge.SearchRequest(edge.Query.Nearest(vector, using="dense"), NEAREST, params=params))
                if turn == 1:
                    took.append(1000 * (time.perf_counter() - begun))
                    found += len({hit.id for hit in hits} & set(nearest.tolist()))
        figures[ef] = (found / (NEAREST * len(queries)), float(np.percentile(took, 50)), float(np.percentile(took, 95)))
    after = resident_mb()
    (recall, p50, p95), (wide_recall, wide_p50, _) = figures[None], figures[WIDE]
    return {
        "recall": recall,
        "p50_ms": p50,
        "p95_ms": p95,
        "wide_recall": wide_recall,
        "wide_p50_ms": wide_p50,
        "memory_mb": after["RssAnon"] - before["RssAnon"],
        "mapped_mb": after["RssFile"] - before["RssFile"],
    }


def step(name, mode, work):
    """A step in a process of its own, so that its memory is its own."""
    done = subprocess.run([sys.executable, __file__, name, mode, str(work)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{name} {mode} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def main():
    if sys.argv[1] in ("build", "search"):
        print(json.dumps({"build": build, "search": search}[sys.argv[1]](sys.argv[2], Path(sys.argv[3]))))
        return
    base_file, work = Path(sys.argv[1]), Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1_000_000
    work.mkdir(parents=True)
    random = np.random.default_rng(7)
    base = base_vectors(base_file)
    chosen = random.permutation(len(base))
    queries, rest = base[chosen[:QUERIES]], base[chosen[QUERIES:]]
    vectors = make_vectors(rest, count, random)
    np.save(work / "vectors.npy", vectors)
    np.save(work / "queries.npy", queries)
    np.save(work / "nearest.npy", exact_nearest(vectors, queries))
    print(f"{count} vectors of {base.shape[1]} around {len(rest)} embeddings, {len(queries)} queries, one at a time", flush=True)
    del vectors
    print(f"| quantization | recall@10 | p50 ms | p95 ms | with hnsw_ef {WIDE}: recall@10, p50 ms | memory MB | of files MB | written s | indexed s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for mode in MODES:
        built = step("build", mode, work)
        found = step("search", mode, work)
        print(
            f"| {mode} | {found['recall']:.3f} | {found['p50_ms']:.2f} | {found['p95_ms']:.2f} "
            f"| {found['wide_recall']:.3f}, {found['wide_p50_ms']:.2f} | {found['memory_mb']:.0f} "
            f"| {found['mapped_mb']:.0f} | {built['written_s']:.0f} | {built['indexed_s']:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
