#!/usr/bin/env python3
"""Scores the names of an export against tests/fixtures/questions/names.jsonl (its README says how).

usage: score.py NAMES EXPORTS [-v]     EXPORTS/CORPUS holds `graphwright export` of each corpus
"""
import collections
import json
import pathlib
import re
import sys

TYPES = {"人物": "Person", "地点": "Place", "机构": "Organization", "作品": "Work", "事件": "Event", "产品": "Product"}
# a leading article or title is no wrong boundary
LEAD = re.compile(r"^(the|a|an|mr\.|mrs\.|dr\.|senator|master|baron|president|professor|king|queen|captain|general) ")


def squeeze(text):
    return re.sub(r"\s+", " ", text.replace("’", "'"))


def plain(name):
    return LEAD.sub("", squeeze(name).lower())


def table(folder, name):
    with open(folder / f"{name}.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


class Corpus:
    def __init__(self, folder):
        self.entities = {row["id"]: row for row in table(folder, "entities")}
        self.units = [
            (row["unit"]["id"], row["document_key"], squeeze(row["unit"]["text"])) for row in table(folder, "text_units")
        ]
        self.mentions = collections.defaultdict(set)
        for row in table(folder, "mentions"):
            self.mentions[row["text_unit"]].add(row["entity"])

    def near(self, row):
        """The entities of the text units that hold the quotation."""
        quote = squeeze(row["quote"])
        by_title = row["corpus"] in ("hotpotqa", "three-kingdoms")
        ids = [id for id, key, text in self.units if quote in text and (by_title or row["document"] in key)]
        return [self.entities[entity] for id in ids for entity in self.mentions[id] if entity in self.entities]


def main():
    rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
    exports = pathlib.Path(sys.argv[2])
    corpora = {name: Corpus(exports / name) for name in sorted({row["corpus"] for row in rows})}
    sums = collections.defaultdict(collections.Counter)
    for row in rows:
        near = corpora[row["corpus"]].near(row)
        wanted = plain(row["name"])
        names = lambda entity: [plain(name) for name in [entity["name"], *entity["aliases"]]]
        found = [entity for entity in near if wanted in names(entity)]
        joined = [entity for entity in found if plain(entity["name"]) == plain(row.get("same_as", "\0"))]
        kinds = {TYPES.get(entity["kind"], entity["kind"]) for entity in found}
        right = bool(kinds & {row["type"], row.get("type_also")})
        for key in (row["corpus"], "all"):
            sums[key].update(n=1, found=bool(found), right=right, aliases="same_as" in row, joined=bool(joined))
        if "-v" in sys.argv and not right:
            print(row["id"], row["name"], row["type"], "→", sorted(kinds) or "not found")
    for key, sum in sums.items():
        print(
            f"{key:16} {sum['n']:4}  boundaries {100 * sum['found'] / sum['n']:5.1f}  "
            f"types {100 * sum['right'] / max(1, sum['found']):5.1f}  aliases {sum['joined']}/{sum['aliases']}"
        )


main()
