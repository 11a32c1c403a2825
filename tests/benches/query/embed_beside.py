#!/usr/bin/env python3
"""The local embedding model in onnxruntime, beside `query embed`: texts a second of the same texts on the same cores.

    embed_beside.py MODEL QUERY      MODEL is the folder of all-MiniLM-L6-v2, QUERY the driver (target/release/deps/query-…)

Needs onnx, onnxruntime, numpy, safetensors and tokenizers. The model is written as two graphs, of standard operators and of
onnxruntime's own fused ones (Attention, SkipLayerNormalization, BiasGelu); the faster one counts. Both sides are measured in
turn, three times, and tell their best; ours tokenizes the texts, theirs gets tokens. Prints a markdown table."""

import json
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file
from tokenizers import Tokenizer

MODEL, QUERY = Path(sys.argv[1]), sys.argv[2]
CONFIG = json.loads((MODEL / "config.json").read_text())
WIDTH, HEADS, LAYERS = CONFIG["hidden_size"], CONFIG["num_attention_heads"], CONFIG["num_hidden_layers"]
WORDS = ["river", "house", "garden", "letter", "morning", "captain", "music", "winter", "market", "stone"]


class Graph:
    """Nodes and weights of one graph."""

    def __init__(self):
        self.nodes, self.weights, self.count = [], [], 0

    def weight(self, array, name=None):
        self.count += 1
        name = name or f"w{self.count}"
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def add(self, kind, *inputs, domain="", out=None, **attributes):
        self.count += 1
        out = out or f"n{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [out], domain=domain, **attributes))
        return out


def model_of(tensors, fused):
    """ids and positions (batch, tokens) as 64-bit, mask (batch, tokens) as 32-bit integers; unit vectors (batch, width)."""
    t = {name.removeprefix("bert."): value.astype(np.float32) for name, value in tensors.items() if value.dtype != np.int64}
    g = Graph()
    number = lambda value: g.weight(np.array(value, dtype=np.float32))
    shape = lambda *dims: g.weight(np.array(dims, dtype=np.int64))
    dense = lambda x, name: g.add("Add", g.add("MatMul", x, g.weight(t[f"{name}.weight"].T)), g.weight(t[f"{name}.bias"]))
    gamma = lambda name: (g.weight(t[f"{name}.weight"]), g.weight(t[f"{name}.bias"]))
    norm = lambda x, name: g.add("LayerNormalization", x, *gamma(name), epsilon=1e-12, axis=-1)
    mask = g.add("Cast", "mask", to=TensorProto.FLOAT)
    away = g.add("Mul", g.add("Sub", number(1.0), g.add("Unsqueeze", mask, shape(1, 2))), number(-10000.0))
    x = g.add("Add", g.add("Gather", g.weight(t["embeddings.word_embeddings.weight"]), "ids"),
              g.add("Gather", g.weight(t["embeddings.position_embeddings.weight"]), "positions"))
    x = norm(g.add("Add", x, g.weight(t["embeddings.token_type_embeddings.weight"][0])), "embeddings.LayerNorm")
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}."
        own = at + "attention.self."
        if fused:
            packed = np.concatenate([t[f"{own}{part}.weight"].T for part in ("query", "key", "value")], axis=1)
            bias = np.concatenate([t[f"{own}{part}.bias"] for part in ("query", "key", "value")])
            told = g.add("Attention", x, g.weight(packed), g.weight(bias), "mask", domain="com.microsoft", num_heads=HEADS)
        else:
            heads = lambda y, order: g.add("Transpose", g.add("Reshape", y, shape(0, 0, HEADS, WIDTH // HEADS)), perm=order)
            q, k, v = (dense(x, f"{own}{part}") for part in ("query", "key", "value"))
            scores = g.add("Div", g.add("MatMul", heads(q, [0, 2, 1, 3]), heads(k, [0, 2, 3, 1])), number((WIDTH / HEADS) ** 0.5))
            shares = g.add("Softmax", g.add("Add", scores, away), axis=-1)
            told = g.add("Transpose", g.add("MatMul", shares, heads(v, [0, 2, 1, 3])), perm=[0, 2, 1, 3])
            told = g.add("Reshape", told, shape(0, 0, WIDTH))
        first, second = at + "attention.output.", at + "output."
        if fused:
            skip = lambda y, rest, name: g.add("SkipLayerNormalization", y, rest, *gamma(f"{name}LayerNorm"),
                                               g.weight(t[f"{name}dense.bias"]), domain="com.microsoft", epsilon=1e-12)
            plain = lambda y, name: g.add("MatMul", y, g.weight(t[f"{name}.weight"].T))
            x = skip(plain(told, first + "dense"), x, first)
            wide = g.add("BiasGelu", plain(x, at + "intermediate.dense"), g.weight(t[at + "intermediate.dense.bias"]),
                         domain="com.microsoft")
            x = skip(plain(wide, second + "dense"), x, second)
        else:
            x = norm(g.add("Add", dense(told, first + "dense"), x), first + "LayerNorm")
            wide = dense(x, at + "intermediate.dense")
            half = g.add("Add", g.add("Erf", g.add("Div", wide, number(2.0 ** 0.5))), number(1.0))
            wide = g.add("Mul", g.add("Mul", wide, half), number(0.5))
            x = norm(g.add("Add", dense(wide, second + "dense"), x), second + "LayerNorm")
    kept = g.add("Mul", x, g.add("Unsqueeze", mask, shape(2)))
    mean = g.add("Div", g.add("ReduceSum", kept, shape(1), keepdims=0), g.add("ReduceSum", mask, shape(1), keepdims=1))
    g.add("LpNormalization", mean, axis=-1, p=2, out="vectors")
    inputs = [helper.make_tensor_value_info("ids", TensorProto.INT64, ["b", "t"]),
              helper.make_tensor_value_info("positions", TensorProto.INT64, [1, "t"]),
              helper.make_tensor_value_info("mask", TensorProto.INT32, ["b", "t"])]
    outputs = [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["b", WIDTH])]
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    graph = helper.make_graph(g.nodes, "bert", inputs, outputs, g.weights)
    return helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()


def vectors(session, rows):
    longest = max(map(len, rows))
    ids, mask = np.zeros((len(rows), longest), np.int64), np.zeros((len(rows), longest), np.int32)
    for place, row in enumerate(rows):
        ids[place, :len(row)], mask[place, :len(row)] = row, 1
    return session.run(None, {"ids": ids, "positions": np.arange(longest)[None], "mask": mask})[0]


def speed(session, rows, at_once):
    """Texts a second; those of one call are of like length, so that little is padded."""
    rows = sorted(rows, key=len)
    begun = time.perf_counter()
    for at in range(0, len(rows), at_once):
        vectors(session, rows[at:at + at_once])
    return len(rows) / (time.perf_counter() - begun)


def ours():
    """{length: best texts a second} as the driver tells them."""
    told = subprocess.run([QUERY, "embed", str(MODEL)], capture_output=True, text=True, check=True).stdout
    found = {}
    for row in re.findall(r"^\| \d+ \| ([\w ]+) \| \d+ \| (\d+) \|", told, flags=re.M):
        found[row[0]] = max(found.get(row[0], 0.0), float(row[1]))
    return found


def main():
    tokenizer = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tensors = load_file(MODEL / "model.safetensors")
    sessions = {name: onnxruntime.InferenceSession(model_of(tensors, fused), providers=["CPUExecutionProvider"])
                for name, fused in (("standard operators", False), ("fused operators", True))}
    a, b = (vectors(session, [tokenizer.encode("The captain of the river.").ids, tokenizer.encode("A stone.").ids])
            for session in sessions.values())
    assert np.abs(a - b).max() < 1e-4, "the two graphs disagree"
    chosen = random.Random(4)
    texts = {"64": [64] * 1024, "8 to 128": [8 + n % 121 for n in range(1024)]}
    rows = {name: [tokenizer.encode(" ".join(chosen.choices(WORDS, k=n - 2))).ids for n in lengths] for name, lengths in texts.items()}
    assert all(len(row) == n for name, lengths in texts.items() for row, n in zip(rows[name], lengths))
    best = {}
    for _ in range(3):
        for length, told in ours().items():
            best[length, "graphwright"] = max(best.get((length, "graphwright"), 0.0), told)
        for (length, some), (name, session) in ((r, s) for r in rows.items() for s in sessions.items()):
            told = max(speed(session, some, at_once) for at_once in (8, 32, 64))
            best[length, name] = max(best.get((length, name), 0.0), told)
    print("| tokens each | graphwright, texts a second | onnxruntime, standard operators | fused operators | share of the faster |")
    print("|---|---|---|---|---|")
    for length in rows:
        mine, *theirs = (best[length, name] for name in ("graphwright", *sessions))
        print(f"| {length} | {mine:.0f} | {theirs[0]:.0f} | {theirs[1]:.0f} | **{mine / max(theirs):.2f}** |")
    print(f"\nonnxruntime {onnxruntime.__version__}, as many threads as cores", file=sys.stderr)


if __name__ == "__main__":
    main()
