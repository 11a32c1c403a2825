"""Writes recorded extractions as documents whose text is their records: `documents.py SHARED carol|musique FOLDER`."""

import json
import pathlib
import sys

shared, corpus, folder = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)


def clean(text):
    return " ".join(str(text).replace("<|>", " ").split())


def carol():
    for reply in json.loads((shared / "data/recorded/carol-gpt-4o-extraction.json").read_text()):
        yield reply


def musique():
    for doc in json.loads((shared / "data/qa/musique/openie.json").read_text())["docs"]:
        names = [clean(name) for name in doc["extracted_entities"]]
        triples = [t for t in doc["extracted_triples"] if len(t) == 3]
        lines = [f"entity<|>{name}<|><|>From {clean(doc['title'])}." for name in names if name]
        for subject, relation, target in triples:
            lines.append(f"relationship<|>{clean(subject)}<|>{clean(target)}<|>{clean(relation)}<|><|>1")
        yield "\n".join(lines)


for number, text in enumerate({"carol": carol, "musique": musique}[corpus]()):
    (folder / f"{number:05}.txt").write_text(text + "\n", encoding="utf-8")
