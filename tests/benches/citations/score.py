#!/usr/bin/env python3
"""Scores citations by the keys of recorded runs; prints a markdown table and what is wrong.

  score.py SHARED WORK GRAPHWRIGHT      called by scripts/bench-citations.sh, which tells the settings
"""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import played

SHARED, WORK, PROGRAM = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
# a run that is kept here has its texts in the shared run of its language
KEPT = Path(__file__).resolve().parents[2] / "fixtures/played"
CITED = re.compile(r"\s*\[Data: [^\]]*\]")
# wide contexts: what was cited is shown, however it would be ranked today
CONFIG = """
[llm]
provider = "openai"
model = "played"
base_url = "http://127.0.0.1:{port}/v1"
api_key = "x"
[llm.extra_body]
metadata = {{ task = "{{task}}" }}
[embeddings]
provider = "none"
[extraction]
resolution = "{resolution}"
claims = true
[search]
max_context_tokens = 60000
top_k_entities = 200
fit_threshold = 0.0
top_k_text_units = 100
top_k_relationships = 200
[search.drift]
max_seconds = 3600
depth = {depth}
{more}
"""


def run(folder, *arguments):
    environment = {**os.environ, "GRAPHWRIGHT_TRUST": "1"}
    done = subprocess.run([PROGRAM, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"graphwright {' '.join(arguments)}: exit {done.returncode}\n{done.stderr[-2000:]}{done.stdout[-1000:]}")
    return done.stdout


def folders_of(run):
    """Where a run's replies and keys are, and where its texts are."""
    sources = SHARED / "data/played" / run.split("-")[0]
    return (KEPT / run if (KEPT / run).exists() else sources), sources


def settings_of(server, resolution, depth=2):
    return CONFIG.format(port=server.server_port, resolution=resolution, depth=depth, more=os.environ.get("CONFIG", ""))


def index(language, server, resolution):
    folder = WORK / language
    settings = settings_of(server, resolution)
    if not (folder / "indexed").exists():
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(folders_of(language)[1] / "docs", folder / "docs")
        (folder / "graphwright.toml").write_text(settings)
        run(folder, "index", "docs", *(["--reader"] if language.startswith("zh") else []))
        (folder / "indexed").write_text("")
    (folder / "graphwright.toml").write_text(settings)
    return folder


def answers(language, folder, server, resolution):
    """The recorded answers, asked again: {id: (recorded, now, numbers now)}."""
    found = {}
    for line in open(folders_of(language)[0] / "answers.jsonl", encoding="utf-8"):
        recorded = json.loads(line)
        if not recorded.get("question") or not recorded.get("citations") or recorded["options"][0] != "query":
            continue
        if ONLY and recorded["id"] not in ONLY:
            continue
        options = [option for option in recorded["options"][1:] if option != "--context"]
        server.player.given.clear()
        server.player.seen.clear()
        # a search that ran out of time followed nothing up
        depth = 0 if "max_seconds" in " ".join(recorded.get("notes") or []) else 2
        (folder / "graphwright.toml").write_text(settings_of(server, resolution, depth))
        # replies that are kept would not be played
        run(folder, "cache", "clear")
        (folder / "asked.json").write_text(run(folder, "query", *options, "--json", "--", recorded["question"]))
        found[recorded["id"]] = recorded, json.loads((folder / "asked.json").read_text()), server.player.numbers_now
    return found


def bare(text):
    return re.sub(r"\W+", "", CITED.sub("", text))


def offsets(text):
    """(bytes where a bracket begins, letters before it) of a text's citations."""
    return [(len(text[:found.end()].encode()) - len(found[0].lstrip().encode()), len(bare(text[:found.start()])))
            for found in CITED.finditer(text)]


def overlaps(given, right):
    start, end = max(given[0], right[0]), min(given[1], right[1])
    return end > start and 2 * (end - start) >= min(given[1] - given[0], right[1] - right[0])


def units_of(folder):
    """{id: (first character, one behind the last)} of the index's text units."""
    store = sqlite3.connect(folder / ".graphwright/default.sqlite")
    units = {id: place for id, *place in store.execute("SELECT id, start_offset, end_offset FROM text_units")}
    store.close()
    return units


def judge(key, recorded, now, numbers, units):
    """(whether it is right, what was given, whether each sentence more of the same citation is right); None where the record is not cited there any more, or its one text unit ends
    elsewhere than when it was recorded, so that no right sentence lies in it."""
    letters = len(bare(recorded["answer"][:key["statement_at"][1]]))
    places = dict(offsets(now["answer"]))
    marks = [mark for mark in now["marks"] if abs(places.get(mark["start"], -9) - letters) <= 2]
    kind, number = key["record"]["kind"], key["record"]["number"]
    number = number if numbers is None else numbers.get((kind, number))
    judged = None
    for citation in (now["citations"][place] for mark in marks for place in mark["citations"]):
        if (citation["kind"], citation["number"]) != (kind, number):
            continue
        sentence = citation["sentence"]
        if sentence is None:
            return judged or (False, "nothing", [])
        place = sentence["start"], sentence["end"]
        start, end = units[sentence["text_unit_id"]]
        there = [right for right in key["right"] if max(start, right[0]) < min(end, right[1])]
        if judged is None and kind in ("sources", "claims") and key["right"] and not there:
            continue
        if key["given"] is None or sentence["document"] == key["given"][0]:
            right = any(overlaps(place, right) for right in key["right"])
        else:
            right = any(overlaps(place, right[-2:]) for right in key.get("right_elsewhere", []))
        if judged is None:
            judged = right, sentence["text"], []
        else:
            judged[2].append((right, sentence["text"]))
    return judged


ONLY = set(os.environ.get("ONLY", "").split())
LISTED = os.environ.get("LISTED", "wrong")
rows, more, faults = {}, {}, []
for language in os.environ.get("LANGUAGES", "en zh").split():
    kept, sources = folders_of(language)
    # kept runs were asked with every setting as it comes
    resolution = "rules" if kept == sources else "auto"
    server = played.serve(kept, None if kept == sources else sources)
    folder = index(language, server, resolution)
    documents = {f"docs/{path.name}": path.read_text() for path in (folder / "docs").iterdir()}
    units = units_of(folder)
    keys = json.load(open(kept / "keys.json", encoding="utf-8"))["citations"]
    found = answers(language, folder, server, resolution)
    for key in keys:
        if key["answer"] not in found:
            continue
        judged = judge(key, *found[key["answer"]], units)
        kind = key["record"]["kind"]
        for row in (kind, "all"):
            count = rows.setdefault((language, row), [0, 0, 0, 0, 0])
            count[0 if judged is None else 1] += 1
            if judged is not None:
                count[2] += not judged[0]
                count[3] += not judged[0] and not key.get("doubtful")
                count[4] += not key.get("doubtful")
        for right, text in judged[2] if judged else []:
            more.setdefault(language, []).append(right)
            if not right and LISTED == "all":
                faults.append(f"- {key['answer']} {kind}, a sentence more: {key['statement']}\n  - given: {text}")
        if judged is None and LISTED in ("all", "lost") or judged and not judged[0]:
            text = documents.get(key["given"][0] if key["given"] else "", "")
            faults.append("\n".join([
                f"- {key['answer']} {kind} {key['record']['number']} {key['record']['name']}"
                f"{' (doubtful)' if key.get('doubtful') else ''}: {key['statement']}",
                f"  - given: {judged[1] if judged else 'not cited there'}",
                *(f"  - right: {text[start:end]}" for start, end in key["right"][:3])]))
    unknown = [task for task, _ in server.player.unknown]
    if unknown:
        print(f"{language}: {len(unknown)} requests without a recorded reply: {sorted(set(unknown))}", file=sys.stderr)
        if LISTED == "all":
            print(server.player.unknown, file=sys.stderr)
    server.shutdown()

print("\n".join(faults) if LISTED != "none" else "", file=sys.stderr)
print("| | kind | cited there | wrong | % | without the doubtful | % |\n|---|---|---|---|---|---|---|")
for (language, kind), (lost, count, wrong, sure_wrong, sure) in sorted(rows.items()):
    share = 100 * wrong / max(count, 1)
    print(f"| {language} | {kind} | {count} of {count + lost} | {wrong} | {share:.1f} | {sure_wrong} of {sure} |"
          f" {100 * sure_wrong / max(sure, 1):.1f} |")
for language, right in more.items():
    print(f"\n{language}: {len(right)} sentences more for clauses that the first leaves bare, {right.count(False)} of them not in the keys")
