#!/usr/bin/env python3
"""Fits what a sentence is judged by to the question sets of tests/fixtures/questions.

fit.py collect PROGRAM SHARED WORK OUT   asks every question but the outsiders', keeps what each sentence was judged by
fit.py order OUT [--l2 X]                what weights src/query/answer/features.rs could have: which sentence comes first
fit.py sure OUT [--l2 X]                 weights of src/query/answer/confidence.rs: whether the first one answers

Both are linear models with a penalty on the distance from nothing (order: from the weights in use), fitted by gradient
ascent; each is also fitted with one corpus or one set left out and measured on that one. Needs numpy.
"""
import argparse
import json
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from ask import Program, flat, holds, lines, sentences_of

KINDS = ["Definition", "Person", "Place", "Time", "Number", "Reason", "Relation"]


def sets():
    """Every question with its kind, the name of its set and its corpus; `outsiders.jsonl` and half of `neighbours.jsonl` and of `villagers.jsonl` stay out."""
    for name in ("plain", "new-user", "fresh", "strangers", "held-out", "yearbooks", "newcomers", "parish", "latecomers", "neighbours", "villagers"):
        for row in lines(f"{name}.jsonl"):
            if name in ("neighbours", "villagers") and int(row["id"].split("-")[-1]) % 2 == 0:
                continue
            yield "unanswerable" if row["within"] == "refused" else "plain", name, row["corpus"]["name"], row
    for name, kind in NO_WITHIN.items():
        for row in lines(f"{name}.jsonl"):
            yield kind, name, row["corpus"], row


NO_WITHIN = {
    "answerable": "answerable",
    "answerable-more": "answerable",
    "held-out-more": "answerable",
    "unanswerable": "unanswerable",
    "unanswerable-more": "unanswerable",
    "held-out-none": "unanswerable",
    "held-out-none-more": "unanswerable",
}


def collect(given):
    program = Program(os.path.abspath(given.program), given.shared.resolve(), given.work.resolve())

    def ask(entry):
        kind, name, corpus, row = entry
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI", "NEO4J", "GRAPHWRIGHT"))}
        environment["GRAPHWRIGHT_LOG"] = "graphwright::query::answer=trace"
        command = [program.path, "--data", str(program.work / corpus / "data"), "query", "--json", row["question"]]
        done = subprocess.run(command, cwd=program.work / corpus, env=environment, capture_output=True, text=True)
        told = [line.split("sentences ", 1)[1] for line in done.stderr.splitlines() if ": sentences {" in line]
        answer = json.loads(done.stdout) if done.returncode == 0 else {}
        kept = {key: answer.get(key) for key in ("answer", "found", "confidence")}
        kept["sources"] = sentences_of(answer)
        return {"set": kind, "of": name, "corpus": corpus, "row": row, "told": [json.loads(line) for line in told], "answer": kept}

    for corpus in sorted({corpus for _, _, corpus, _ in sets()}):
        program.index(corpus)
    with ThreadPoolExecutor(2) as pool, given.out.open("w", encoding="utf-8") as out:
        for asked in pool.map(ask, list(sets())):
            out.write(json.dumps(asked, ensure_ascii=False) + "\n")


def is_right(asked, text):
    row = asked["row"]
    if asked["set"] == "plain":
        return holds(text, row["accept"])
    evidence = row["evidence"] if isinstance(row["evidence"], list) else [row["evidence"]]
    return any(flat(one["quote"]) in flat(text) for one in evidence)


def read(path):
    questions = [json.loads(line) for line in path.open(encoding="utf-8")]
    for asked in questions:
        asked["told"] = asked["told"][0] if asked["told"] else {"candidates": [], "concepts": [], "features": []}
        candidates = asked["told"]["candidates"]
        asked["x"] = np.array([one[2] for one in candidates]) if candidates else np.zeros((0, 1))
        asked["right"] = np.zeros(len(candidates), bool)
        if asked["set"] != "unanswerable":
            asked["right"] = np.array([is_right(asked, one[1]) for one in candidates], bool)
    return questions


# What differences of scores count: with it the weights in use are about as likely as they can be.
SHARP = 4.0


def fit_order(questions, l2, centre, steps=600, rate=0.02):
    """Maximum likelihood that a right sentence comes first among all (a softmax over the sentences of a question)."""
    size = max(asked["x"].shape[1] for asked in questions)
    weights, moment, square = centre.copy(), np.zeros(size), np.zeros(size)
    for step in range(1, steps + 1):
        slope = -2 * l2 * (weights - centre)
        for asked in questions:
            logits = asked["x"] @ weights * SHARP
            chance = np.exp(logits - logits.max())
            chance /= chance.sum()
            among = chance * asked["right"]
            among /= max(among.sum(), 1e-12)
            slope += SHARP * asked["x"].T @ (among - chance)
        moment = 0.9 * moment + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        weights += rate * (moment / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-9)
    return weights


def in_use(names):
    """The weights of features.rs."""
    source = (Path(__file__).resolve().parents[3] / "src/query/answer/features.rs").read_text(encoding="utf-8")
    table = {name: float(weight) for name, weight in re.findall(r'\("(\w+)", (-?[\d.]+)\)', source)}
    return np.array([table[name] for name in names])


def place(asked, weights):
    """The place of the first right sentence, from 0; a great one where there is none."""
    order = np.argsort(-(asked["x"] @ weights), kind="stable")
    return next((at for at, one in enumerate(order) if asked["right"][one]), 10**6)


def order(given):
    questions = [asked for asked in read(given.data) if asked["set"] != "unanswerable"]
    questions = [asked for asked in questions if asked["row"].get("within") != "answer"]
    usable = [asked for asked in questions if asked["right"].any()]
    print(f"{len(questions)} questions, {len(usable)} with a right sentence among those told")
    names = usable[0]["told"]["features"]
    centre = in_use(names)
    weights = fit_order(usable, given.l2, centre)
    for name, weight in zip(names, weights):
        print(f"{name:14} {weight:8.3f}")

    def report(label, got):
        count = max(len(got), 1)
        first, five = sum(at == 0 for at in got), sum(at < 5 for at in got)
        print(f"{label:28} first {first} of {count} ({first / count:.3f}), in five {five} ({five / count:.3f})")

    report("fitted on all", [place(asked, weights) for asked in usable])
    crossed = []
    for corpus in sorted({asked["corpus"] for asked in usable}):
        without = fit_order([asked for asked in usable if asked["corpus"] != corpus], given.l2, centre)
        got = [place(asked, without) for asked in usable if asked["corpus"] == corpus]
        report(f"  without {corpus}", got)
        crossed += got
    report("one corpus left out", crossed)
    report("the weights in use", [place(asked, centre) for asked in usable])


FOLDS = np.random.default_rng(0).integers(0, 5, 2000)
SURE = [
    "score", "said", "around", "exact", "close", "phrase", "rarest", "act", "named", "form", "formless", "wished", "asks",
    "absent", "unnamed", "concepts", "names", "least", "together", "speaker", "titled", "tight", "filled", "empty",
    "bound",
]


def grounds(asked, weights):
    """What tells whether the first sentence answers: its own numbers, and what of the question is nowhere."""
    told = asked["told"]
    if not told["candidates"]:
        return None
    scores = asked["x"] @ weights
    first = int(np.argmax(scores))
    of = dict(zip(told["features"], asked["x"][first]))
    candidate = told["candidates"][first]
    found, around = candidate[3], candidate[4]
    concepts = told["concepts"]
    names = [found[at] for at, concept in enumerate(concepts) if concept[1]]
    content = [at for at, concept in enumerate(concepts) if not concept[3]]
    together = max((np.mean([one[3][at] for at in content]) for one in told["candidates"]), default=0.0) if content else 0.0
    values = {
        **of,
        "score": scores[first],
        "form": sum(of[kind] for kind in ("definition", "relation", "person", "place", "time", "number", "reason", "compared")),
        "absent": told["missing"][0],
        "unnamed": told["missing"][1],
        "concepts": len(concepts),
        "names": min(names, default=1.0),
        "least": min((around[at] for at in content), default=1.0),
        "together": together,
    }
    kinds = [float(told["asks"] == kind) for kind in KINDS]
    return np.array([values[name] for name in SURE] + kinds)


def fit_sure(rows, answers, l2, steps=3000, rate=0.03):
    """Logistic regression; numbers are brought to mean 0 and deviation 1 first."""
    mean, spread = rows.mean(0), rows.std(0) + 1e-9
    scaled = np.hstack([(rows - mean) / spread, np.ones((len(rows), 1))])
    weights, moment, square = np.zeros(scaled.shape[1]), 0.0, 0.0
    for step in range(1, steps + 1):
        chance = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (answers - chance) - 2 * l2 * np.append(weights[:-1], 0.0)
        moment, square = 0.9 * moment + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        weights = weights + rate * (moment / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-9)
    plain = weights[:-1] / spread
    return plain, weights[-1] - plain @ mean


def refused(chances, answers, share=0.05):
    """Unanswerable questions refused where so large a share of the answerable ones is; and that threshold."""
    threshold = np.quantile(chances[answers == 1], share)
    return float((chances[answers == 0] < threshold).mean()), float(threshold)


def sure(given):
    questions = read(given.data)
    names = next(asked["told"]["features"] for asked in questions if asked["told"]["features"])
    order = in_use(names)
    asked = [one for one in questions if one["told"].get("asks") != "Overview"]
    rows = [(one, grounds(one, order)) for one in asked]
    print(f"{sum(row is None for _, row in rows)} questions without any sentence")
    rows = [(one, row) for one, row in rows if row is not None]
    x = np.array([row for _, row in rows])
    y = np.array([float(one["set"] != "unanswerable") for one, _ in rows])
    corpora = np.array([one["corpus"] for one, _ in rows])
    weights, bias = fit_sure(x, y, given.l2)
    for name, weight in zip(SURE + KINDS, weights):
        print(f"{name:14} {weight:8.3f}")
    print(f"{'(none)':14} {bias:8.3f}")
    chance = lambda x, weights, bias: 1 / (1 + np.exp(-(x @ weights + bias)))

    def report(label, chances):
        share, threshold = refused(chances, y)
        print(f"{label}: refused {share:.3f} at threshold {threshold:.3f}")

    def crossed(label, groups):
        chances = np.zeros(len(y))
        for group in sorted(set(groups)):
            own = groups == group
            chances[own] = chance(x[own], *fit_sure(x[~own], y[~own], given.l2))
        report(label, chances)

    report("fitted on all", chance(x, weights, bias))
    crossed("one set left out", np.array([one.get("of", one["set"]) for one, _ in rows]))
    crossed("one corpus left out", corpora)
    crossed("five folds", FOLDS[: len(rows)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("collect")
    one.add_argument("program")
    for name in ("shared", "work", "out"):
        one.add_argument(name, type=Path)
    one.set_defaults(run=collect)
    for name, run in (("order", order), ("sure", sure)):
        one = commands.add_parser(name)
        one.add_argument("data", type=Path)
        one.add_argument("--l2", type=float, default=0.5)
        one.set_defaults(run=run)
    given = parser.parse_args()
    given.run(given)


if __name__ == "__main__":
    main()
