"""Reads every file of a folder as the program does, and prints what came of it as a table.

    python3 tests/benches/documents/measure.py target/release/graphwright tests/fixtures/documents
"""

import json
import os
import re
import subprocess
import sys
import time

FACTS = [
    "two apprentices", "Ebenezer Scrooge and Dick Wilkins", "official affidavit was filed in 1843",
    "A footnote about the affidavit", "Ebenezer Scrooge, apprentice", "slept under the counter",
    "Mrs. Fezziwig, hostess", "Candles", "4.50", "Ledger books", "毛笔 brushes", "2.25", "曹操与刘备煮酒论英雄",
    "better than his word",
]
LIMITS = {"html_nodes": 1000000, "html_depth": 512, "file_s": 60, "table_mb": 256, "reader_mb": 2048, "reader_s": 60}
OPTIONS = {"text_field": "", "title_field": "", "max_bytes": 1 << 29, "limits": LIMITS, "sheets": "table", "ocr": "",
           "converters": {}}
BAND = 900


def start(program):
    return subprocess.Popen([program, "read-document", "2048"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def ask(child, path):
    request = {"path": list(os.fsencode(os.path.abspath(path))), "key": os.path.basename(path), "options": OPTIONS}
    child.stdin.write(json.dumps(request).encode() + b"\n")
    child.stdin.flush()
    return child.stdout.readline()


def read(program, path):
    """The reading, milliseconds with the child's start, and milliseconds of a second reading in the same child."""
    begun = time.perf_counter()
    child = start(program)
    line = ask(child, path)
    first = time.perf_counter()
    if line:
        ask(child, path)
    second = time.perf_counter()
    child.kill()
    child.wait()
    reading = json.loads(line) if line else {"documents": [], "problems": [{"reason": "ended by its limits"}], "notes": []}
    return reading, 1000 * (first - begun), 1000 * (second - first)


def dense(text):
    for quote in "’‘“”\"":
        text = text.replace(quote, "'")
    return re.sub(r"\s+", "", text.replace("--", "—"))


def order(truth, text):
    """1 − edit distance without white space, in a band."""
    a, b = dense(truth), dense(text)
    far = len(a) + len(b)
    before = list(range(len(b) + 1))
    for row, x in enumerate(a, 1):
        now = [far] * (len(b) + 1)
        if row <= BAND:
            now[0] = row
        for column in range(max(1, row - BAND), min(len(b), row + BAND) + 1):
            change = before[column - 1] + (x != b[column - 1])
            now[column] = min(change, before[column] + 1, now[column - 1] + 1)
        before = now
    return 100 * (1 - before[-1] / max(len(a), len(b), 1))


def main(program, folder):
    print("| file | documents | characters | facts | order | places | told | ms, with its child | ms |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in sorted(os.listdir(folder)):
        if name.endswith((".md", ".truth.txt")):
            continue
        path = os.path.join(folder, name)
        reading, first, second = read(program, path)
        text = "\n".join(document["text"] for document in reading["documents"])
        flat = " ".join(text.split())
        facts = f"{sum(fact in flat for fact in FACTS)}/14" if name.startswith("report") and text else ""
        truth = os.path.join(folder, name.rsplit(".", 1)[0] + ".truth.txt")
        right = f"{order(open(truth).read(), text):.2f}" if os.path.exists(truth) and text else ""
        places = sum(len(document["locators"]) for document in reading["documents"])
        told = "; ".join(problem["reason"][:60] for problem in reading["problems"] + reading["notes"]).replace("|", "/")
        print(f"| {name} | {len(reading['documents'])} | {len(text)} | {facts} | {right} | {places} | {told} "
              f"| {first:.0f} | {second:.1f} |")


if __name__ == "__main__":
    main(*sys.argv[1:3])
