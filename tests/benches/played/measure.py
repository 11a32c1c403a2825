#!/usr/bin/env python3
"""What indexing the recorded runs asks of a model, and which names of the keys end up as one; prints markdown tables.

  measure.py SHARED WORK GRAPHWRIGHT      called by scripts/bench-played.sh, which tells the settings
"""

import json
import os
import shutil
import subprocess
import sys
from itertools import combinations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "citations"))
import played  # noqa: E402

SHARED, WORK, PROGRAM = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
STYLES = os.environ.get("STYLES", "paper lean").split()
LANGUAGES = os.environ.get("LANGUAGES", "en zh").split()
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
claims = true
{extraction}
[reports]
style = "{style}"
"""


def run(folder, *arguments):
    environment = {**os.environ, "GRAPHWRIGHT_TRUST": "1"}
    done = subprocess.run([PROGRAM, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"graphwright {' '.join(arguments)}: exit {done.returncode}\n{done.stderr[-2000:]}{done.stdout[-1000:]}")
    return done.stdout


def index(language, style):
    folder = WORK / f"{language}-{style}"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(SHARED / "data/played" / language / "docs", folder / "docs")
    server = played.serve(str(SHARED / "data/played" / language))
    settings = CONFIG.format(port=server.server_port, style=style, extraction=os.environ.get("EXTRACTION", ""))
    (folder / "graphwright.toml").write_text(settings)
    forecast = json.loads(run(folder, "index", "docs", "--dry-run", "--json"))
    run(folder, "index", "docs")
    run(folder, "export", "out")
    return folder, server, forecast


def entities(folder):
    """The name of each entity by every name that it has."""
    of, kinds = {}, {}
    for line in open(folder / "out/entities.jsonl", encoding="utf-8"):
        entity = json.loads(line)
        kinds.setdefault(entity["kind"], set()).add(entity["name"])
        for name in [entity["name"], *entity["aliases"]]:
            of[flat(name)] = entity["name"]
    return of, kinds


def flat(name):
    return " ".join(name.lower().split())


def names(language, folder):
    keys = json.load(open(SHARED / "data/played" / language / "keys.json", encoding="utf-8"))
    of, kinds = entities(folder)
    left, pairs, wrong = [], 0, []
    for group in keys["same"]:
        if not group["sure"]:
            continue
        for one, other in combinations([name for name in group["in_run"] if flat(name) in of], 2):
            pairs += 1
            if of[flat(one)] != of[flat(other)]:
                left.append(f"{one} – {other}")
    for pair in keys["different"]:
        one, other = pair["names"]
        if flat(one) in of and of.get(flat(one)) == of.get(flat(other)):
            wrong.append(f"{one} – {other}")
    twice = []
    for words in keys["types"]:
        stored = [word for word in [*words["en"], *words["zh"]] if word in {kind.lower() for kind in kinds}]
        if len(stored) > 1:
            twice.append(" / ".join(stored))
    return pairs, left, wrong, twice


def main():
    print("| corpus | reports | task | calls | tokens read | tokens written |\n|---|---|---|---|---|---|")
    found = []
    for language in LANGUAGES:
        for style in STYLES:
            folder, server, forecast = index(language, style)
            player = server.player
            for task in sorted(player.asked):
                read, written = player.tokens[task]
                print(f"| {language} | {style} | {task} | {player.asked[task]} | {read} | {written} |")
            calls = sum(player.asked.values())
            read, written = (sum(tokens[at] for tokens in player.tokens.values()) for at in (0, 1))
            print(f"| {language} | {style} | all | {calls} | {read} | {written} |")
            told = (forecast["calls"], forecast["input_tokens"], forecast["output_tokens"])
            print(f"| {language} | {style} | `--dry-run` | {told[0]} | {told[1]} | {told[2]} |")
            for task, what in player.unknown:
                print(f"unknown: {language} {task}: {what!r}", file=sys.stderr)
            found.append((language, style, *names(language, folder)))
    print("\n| corpus | reports | pairs of the keys | left | wrong | classes under two words |\n|---|---|---|---|---|---|")
    for language, style, pairs, left, wrong, twice in found:
        print(f"| {language} | {style} | {pairs} | {'; '.join(left) or 0} | {'; '.join(wrong) or 0} | {'; '.join(twice) or 0} |")


if __name__ == "__main__":
    main()
