"""dense.py FOLDER: writes graphs d1 to d7, dense and with weak communities, fixed seeds, as NAME.txt and NAME.n.

Each node belongs to a group of several kinds (a house, a year, a subject). An edge leads from a node to one of a group of
its own or to any, by activity; a third of the edges close triangles. So many communities pull at each node.
"""
import os
import sys

import numpy as np

# nodes, links a node asked for, groups of each kind, shares of the edges that lead into them, the rest to anybody
SHAPES = [
    (6400, 80, [14, 5, 30], [0.28, 0.34, 0.10]),
    (6400, 80, [40, 5, 60], [0.40, 0.20, 0.12]),
    (4000, 100, [25, 4, 12], [0.30, 0.30, 0.10]),
    (9000, 90, [60, 6, 100], [0.35, 0.25, 0.15]),
    (3000, 85, [10, 4], [0.40, 0.30]),
    (6400, 80, [200, 5, 30], [0.40, 0.18, 0.10]),
    (6400, 120, [300, 20, 8], [0.34, 0.20, 0.14]),
]
CLOSED = 0.3


def distinct(n, u, v):
    key = np.unique(np.minimum(u, v) * n + np.maximum(u, v))
    low, high = key // n, key % n
    return low[low != high], high[low != high]


def graph(n, links, kinds, shares, seed):
    rng = np.random.default_rng(seed)
    activity = rng.lognormal(0, 1.0, n)
    count = int(n * links / 2 * 1.25)
    groups = [rng.choice(size, n, p=rng.dirichlet(np.full(size, 3.0))) for size in kinds]
    kind = rng.choice(len(kinds) + 1, count, p=[*shares, 1 - sum(shares)])
    u = rng.choice(n, count, p=activity / activity.sum())
    v = np.empty(count, int)
    anybody = kind == len(kinds)
    v[anybody] = rng.choice(n, anybody.sum(), p=activity / activity.sum())
    for which, of_node in enumerate(groups):
        for group in range(kinds[which]):
            places, members = np.nonzero((kind == which) & (of_node[u] == group))[0], np.nonzero(of_node == group)[0]
            if len(places):
                v[places] = rng.choice(members, len(places), p=activity[members] / activity[members].sum())
    low, high = distinct(n, u, v)
    kept = rng.random(len(low)) > CLOSED / 2
    low, high = low[kept], high[kept]
    # edges to a neighbour of a neighbour
    source, target = np.concatenate([low, high]), np.concatenate([high, low])
    order = np.argsort(source, kind="stable")
    source, target = source[order], target[order]
    start = np.searchsorted(source, np.arange(n + 1))
    drawn = rng.integers(0, len(source), int(len(low) * CLOSED))
    middle = target[drawn]
    far = target[start[middle] + (rng.random(len(drawn)) * (start[middle + 1] - start[middle])).astype(int)]
    return distinct(n, np.concatenate([low, source[drawn]]), np.concatenate([high, far]))


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    for seed, shape in enumerate(SHAPES, 1):
        low, high = graph(*shape, seed)
        np.savetxt(f"{sys.argv[1]}/d{seed}.txt", np.column_stack([low, high, np.ones(len(low), int)]), fmt="%d")
        with open(f"{sys.argv[1]}/d{seed}.n", "w") as file:
            file.write(f"{shape[0]}\n")
