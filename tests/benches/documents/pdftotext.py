"""Reads every PDF of some folders as the program does and as poppler's `pdftotext` does, and prints both as a table: how many
words are common (Chinese and Japanese: pairs of characters), how alike the order of their first 2,000 characters is, and pages a second of CPU.

    python3 tests/benches/documents/pdftotext.py target/release/graphwright tests/fixtures/documents [FOLDER...]

`pdftotext` errs as well: only large differences count. It reads tables down their columns, and with `-layout` across: the
order is that of the one that is nearer. A header that a long table repeats counts once, and so do the dots of an entry of contents. Where
a truth file lies beside (NAME.truth.txt), both are compared with all of it.
"""

import collections
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

from measure import ask, dense, order, start

# seconds that pdftotext may take: it has no limits of its own
TIMEOUT_S = 20
# characters without white space of which the order is compared
ORDERED = 2000
HAN = r"\u3040-\u30ff\u3400-\u9fff"


def units(text):
    """Words in lower case; of Chinese and Japanese each pair of neighbours."""
    text = text.lower().replace("ﬁ", "fi").replace("ﬂ", "fl")
    words = re.findall(rf"[^\W_{HAN}]+", text)
    pairs = [run[at : at + 2] for run in re.findall(rf"[{HAN}]+", text) for at in range(max(1, len(run) - 1))]
    return collections.Counter(words + pairs)


def shares(wanted, found):
    """Recall and precision in %."""
    common = sum((wanted & found).values())
    return [100 * common / max(1, sum(counts.values())) for counts in (wanted, found)]


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ours(program, path):
    """Text, pages, what is told, CPU seconds of a child that reads this file alone, its start included."""
    before = cpu()
    child = start(program)
    line = ask(child, path)
    child.stdin.close()
    child.wait()
    reading = json.loads(line) if line else {"documents": [], "problems": [{"reason": "ended by its limits"}], "notes": []}
    text = "\n".join(document["text"] for document in reading["documents"])
    told = [one["reason"] for one in reading["problems"] + reading["notes"]]
    return text, reading.get("pages", 0), told, cpu() - before


def theirs(path, *flags):
    before = cpu()
    done = subprocess.run(["pdftotext", *flags, "-enc", "UTF-8", path, "-"], capture_output=True, timeout=TIMEOUT_S)
    return done.stdout.decode("utf-8", "replace"), cpu() - before


def once(text):
    """Without what makes tables Markdown: rules, and headers that a long table repeats."""
    lines, kept, last = text.split("\n"), [], None
    for at, line in enumerate(lines):
        if re.fullmatch(r"\|( --- \|)+", line):
            continue
        if re.match(r"\|( --- \|)+$", lines[at + 1] if at + 1 < len(lines) else ""):
            if line == last:
                continue
            last = line
        kept.append(line)
    return "\n".join(kept)


def likeness(one, other):
    """Order in % of the first characters: all of a long text would take minutes."""
    one, other = led(one), led(other)
    if not dense(one) or not dense(other):
        return None
    return order(dense(one)[:ORDERED], dense(other)[:ORDERED])


def led(text):
    """Dots that lead to a page as the one mark that we write for them."""
    return re.sub(r"(\s*[.…]){4,}", " …", text)


def shown(value):
    return "" if value is None else f"{value:.1f}"


def main(program, folders):
    print("| file | pages | recall | precision | order | truth: ours / theirs | ms a page: ours / theirs | told |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    sums = {"pages": 0, "ours": 0.0, "theirs": 0.0, "recall": [], "precision": [], "order": []}
    paths = sorted(path for folder in folders for path in pathlib.Path(folder).rglob("*.pdf"))
    for path in paths:
        try:
            other, other_s = theirs(path)
        except subprocess.TimeoutExpired:
            other, other_s = "", None
        text, pages, told, our_s = ours(program, path)
        text = once(text)
        truth = path.with_name(f"{path.stem}.truth.txt")
        against = ""
        if truth.is_file():
            words = truth.read_text(encoding="utf-8")
            against = f"{shown(order(words, text))} / {shown(order(words, other))}"
        recall = precision = in_order = None
        if dense(other) and dense(text):
            recall, precision = shares(units(other), units(text))
            in_order = max(likeness(other, text), likeness(theirs(path, "-layout")[0], text) or 0)
            for name, value in (("recall", recall), ("precision", precision), ("order", in_order)):
                if value is not None:
                    sums[name].append(value)
            sums["pages"] += pages
            sums["ours"] += our_s
            sums["theirs"] += other_s
        each = f"{1000 * our_s / pages:.1f} / {1000 * other_s / pages:.1f}" if pages and other_s is not None else ""
        print(f"| {path.name} | {pages or ''} | {shown(recall)} | {shown(precision)} | {shown(in_order)} | {against} | {each} "
              f"| {'; '.join(told)[:90]} |")
    mean = lambda name: sum(sums[name]) / len(sums[name]) if sums[name] else 0.0
    speed = lambda name: sums["pages"] / sums[name] if sums[name] else 0.0
    print(f"\n{len(sums['recall'])} of {len(paths)} files give text to both: recall {mean('recall'):.1f}, precision "
          f"{mean('precision'):.1f}, order {mean('order'):.1f}; {sums['pages']} pages, {speed('ours'):.0f} a second of CPU "
          f"(pdftotext {speed('theirs'):.0f}), the start of a process for each file included")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
