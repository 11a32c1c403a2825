#!/usr/bin/env python3
"""Writes a corpus of many short documents: tests/benches/serve_units.py DATA OUT.jsonl [UNITS]

Passages of three sets of questions and the parts of the podcasts from the folder DATA (../shared/data), 50,000 of them where nothing is said. The
first round is as it is; in each further round every word that is only ever written with a capital stands for another such word about as frequent, so
that names differ and texts stay like texts. Same folder, same bytes. Standard library alone.
"""
import collections
import json
import re
import sys
import zipfile

WORD = re.compile(r"[A-Za-z]+")
BLOCK = 64


def documents(data):
    for name in ("2wiki", "hotpotqa", "musique"):
        with open(f"{data}/qa/{name}/corpus.json") as file:
            for passage in json.load(file):
                yield passage["title"], passage["text"]
    with zipfile.ZipFile(f"{data}/corpora/podcasts.zip") as podcasts:
        for name in sorted(podcasts.namelist()):
            if name.endswith(".txt"):
                yield name.rsplit("/", 1)[1][:-4], podcasts.read(name).decode("utf-8", "replace")


def names(texts):
    """Words that never stand in small letters, the frequent first."""
    seen = collections.Counter(word for text in texts for word in WORD.findall(text))
    small = {word for word in seen if word[0].islower()}
    capitals = [word for word in seen if word[0].isupper() and len(word) > 2 and word.lower() not in small]
    return sorted(capitals, key=lambda word: (-seen[word], word))


def exchanged(ordered, turn):
    """What each word becomes in one round: the words of a block of like frequency move on."""
    becomes = {}
    for begin in range(0, len(ordered), BLOCK):
        block = ordered[begin:begin + BLOCK]
        for at, word in enumerate(block):
            becomes[word] = block[(at + turn * 7) % len(block)]
    return becomes


def main():
    data, out = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 50_000
    originals = list(documents(data))
    ordered = names(text for pair in originals for text in pair)
    with open(out, "w") as file:
        for number in range(count):
            turn, at = divmod(number, len(originals))
            becomes = exchanged(ordered, turn) if at == 0 else becomes
            title, text = (WORD.sub(lambda found: becomes.get(found[0], found[0]), one) for one in originals[at])
            print(json.dumps({"id": str(number), "title": title, "text": text}, ensure_ascii=False), file=file)


if __name__ == "__main__":
    main()
