"""An export of a made graph of any size: python3 large.py ENTITIES FOLDER [WORKSPACE] (needs the package blake3).

`graphwright import FOLDER` brings it in and makes every sum, so that nothing but documents and records is written here.
Of 100 entities 84 are people, 12 companies and 4 towns. A person works for a company (one in five for one of the 100 that
are best known) and knows somebody; a company is based in a town, and one in three acquired another one. A document holds
50 people with what is said of them, and has a date. The same arguments give the same bytes.
"""

import json
import random
import sys
from pathlib import Path

from blake3 import blake3

WORKSPACE = sys.argv[3] if len(sys.argv) > 3 else "default"
PEOPLE = 50
SYLLABLES = "bar den fel gor han kel lin mor nas pol ran sel tor ven wil zan".split()
FIRST = "Ada Ben Clara David Ella Frank Grace Henry Ida Jacob Klara Louis Maria Nora Otto Paul Rosa Simon Thea Victor".split()
FIRMS = "Industries Holdings Systems Foods Motors Energy Software Pharma".split()
TABLES = (
    "asked_questions atomic_facts claims communities dictionary documents edits entities library library_changes mentions "
    "relationships resolution settings summary_trees text_units vectors verdicts"
).split()
SETTINGS = {
    "extraction": "nlp 4",
    "linking": "2",
    "payload": "2",
    "text_units": "1200 tokens, overlap 100, o200k_base",
    "vectors": "bm25 average length 256, dense none",
}


def fingerprint(*parts):
    hasher = blake3()
    for part in parts:
        raw = part.encode()
        hasher.update(len(raw).to_bytes(8, "little"))
        hasher.update(raw)
    return hasher.hexdigest()[:32]


def word(number):
    """Numbers from 0 to 65,535 as four syllables, in an order that mixes them."""
    mixed = (number * 40503 + 12345) % 65536
    return "".join(SYLLABLES[mixed >> shift & 15] for shift in (12, 8, 4, 0)).capitalize()


def person(number):
    return f"{FIRST[number % 20]} {word(number // 20)}" if number < 1_310_720 else f"{FIRST[number % 20]} {word(number % 65536)} {number}"


def company(number):
    return f"{word(number // 8)} {FIRMS[number % 8]}"


def town(number):
    return f"{word(number)} Town"


class Table:
    def __init__(self, folder, name):
        self.file, self.rows, self.hash = open(folder / f"{name}.jsonl", "wb"), 0, blake3()

    def add(self, row):
        line = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        self.file.write(line)
        self.hash.update(line)
        self.rows += 1

    def close(self):
        self.file.close()
        return {"rows": self.rows, "blake3": self.hash.hexdigest()}


def said(source, people, companies, towns, first):
    """What a document says: (source, its type, words, target, its type) of each sentence."""
    for number in range(first, min(first + PEOPLE, people)):
        employer = source.randrange(100 if source.random() < 0.2 else companies)
        yield person(number), "person", "works for", company(min(employer, companies - 1)), "organization"
        other = source.randrange(people)
        if other != number:
            yield person(number), "person", "knows", person(other), "person"
    share = first * companies // people, min(first + PEOPLE, people) * companies // people
    for number in range(*share):
        yield company(number), "organization", "is based in", town(source.randrange(towns)), "location"
        other = source.randrange(companies)
        if source.random() < 1 / 3 and other != number:
            yield company(number), "organization", "acquired", company(other), "organization"


def document(key, year, statements):
    text, records, named = "", [], {}
    for subject, kind, verb, target, other in statements:
        sentence = f"{subject} {verb} {target}."
        text += sentence + "\n"
        named[subject], named[target] = kind, other
        record = {"record": "relationship", "source": subject, "target": target, "kind": verb}
        records.append(record | {"description": sentence, "strength": 1})
    entities = [{"record": "entity", "name": name, "kind": kind, "description": ""} for name, kind in named.items()]
    text, own = text.rstrip("\n"), fingerprint(WORKSPACE, "document", key)
    row = {"id": own, "key": key, "title": key.removeprefix("docs/"), "content_hash": fingerprint(text)}
    row |= {"character_count": len(text), "text_unit_count": 1, "metadata": {"date": f"{year}-03-01"}}
    unit = {"id": fingerprint(WORKSPACE, "text_unit", own, text, "0"), "document_id": own, "index": 0, "text": text}
    unit |= {"token_count": len(text) // 4, "start_offset": 0, "end_offset": len(text), "headings": [], "header": ""}
    state = {"records": entities + records, "extraction": "nlp 4", "error": None, "linked": [], "linking_done": True}
    state |= {"records_lost": 0, "records_pruned": 0, "records_gleaned": 0}
    return row, {"unit": unit, "document_key": key, "document_title": row["title"], "state": state}


def main(entities, folder):
    folder.mkdir(parents=True, exist_ok=True)
    people, companies, towns = entities * 84 // 100, entities * 12 // 100, entities * 4 // 100
    tables, source = {name: Table(folder, name) for name in TABLES}, random.Random(7)
    for name, value in SETTINGS.items():
        tables["settings"].add({"name": name, "value": value})
    for first in range(0, people, PEOPLE):
        key = f"docs/register-{first // PEOPLE:06}.txt"
        row, unit = document(key, 2000 + first // PEOPLE % 24, said(source, people, companies, towns, first))
        tables["documents"].add(row)
        tables["text_units"].add(unit)
    manifest = {"layout": 2, "schema_version": 1, "workspace": WORKSPACE, "format": "jsonl"}
    manifest["tables"] = {name: table.close() for name, table in tables.items()}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
