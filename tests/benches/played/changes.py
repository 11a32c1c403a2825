#!/usr/bin/env python3
"""What --dry-run says of the recorded runs before they are indexed, before a change and before a deletion, and what each
then asks for; prints a markdown table. Tokens are the program's own count, by o200k_base.

  changes.py SHARED WORK GRAPHWRIGHT      called by scripts/bench-played.sh with PARTS=changes, which tells the settings
"""

import json
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from measure import CONFIG, LANGUAGES, SHARED, WORK, played, run  # noqa: E402


def told(folder, *command):
    estimate = json.loads(run(folder, *command, "--dry-run", "--json"))
    estimate = estimate.get("estimate", estimate)
    return [estimate[name] for name in ("calls", "input_tokens", "output_tokens")], estimate["stages"]


def spent(folder):
    rows = json.loads(run(folder, "status", "--json"))["ledger"]
    sums, stages = [0, 0, 0], {}
    for row in rows:
        counters = row
        one = [counters[name] for name in ("calls", "input_tokens", "output_tokens")]
        sums = [a + b for a, b in zip(sums, one)]
        stages[row["task"]] = one
    return sums, stages


def steps(language):
    """Each with what is done to the files before it."""
    source = SHARED / "data/played" / language
    if language == "zh":
        commentary = "舌战群儒评说.md"
        return (lambda docs: None,
                lambda docs: shutil.copy(source / "docs-2" / commentary, docs / commentary),
                lambda docs: (docs / commentary).unlink())
    transcript = next((source / "docs").iterdir())
    text = transcript.read_text()
    half = text[text.index("\n", len(text) // 2):]

    def change(docs):
        # the second half loses its last quarter
        (docs / "second-half.txt").write_text(half[:half.index("\n", len(half) * 3 // 4)])

    return (lambda docs: (docs / "second-half.txt").write_text(half),
            change,
            lambda docs: (docs / "second-half.txt").unlink())


def measured(language):
    folder = WORK / f"{language}-changes"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(SHARED / "data/played" / language / "docs", folder / "docs")
    server = played.serve(str(SHARED / "data/played" / language))
    settings = CONFIG.format(port=server.server_port, style="lean", extraction=os.environ.get("EXTRACTION", ""))
    (folder / "graphwright.toml").write_text(settings)
    before, tasks_before = [0, 0, 0], {}
    for name, change in zip(("first run", "a change", "a deletion"), steps(language)):
        change(folder / "docs")
        command = ("index", "docs") if name == "first run" else ("sync", "docs")
        estimated, stages = told(folder, *command)
        run(folder, *command)
        after, tasks = spent(folder)
        ran = [a - b for a, b in zip(after, before)]
        errors = [abs(a - b) / b for a, b in zip(estimated, ran) if b]
        cells = " | ".join(f"{a} | {b}" for a, b in zip(estimated, ran))
        print(f"| {language} | {name} | {cells} | {100 * max(errors, default=0):.0f}% |", flush=True)
        if os.environ.get("LISTED"):
            print(json.dumps([{k: stage[k] for k in ("stage", "calls", "input_tokens", "output_tokens")} for stage in stages]))
            print({task: [a - b for a, b in zip(row, tasks_before.get(task, [0, 0, 0]))] for task, row in tasks.items()})
        before, tasks_before = after, tasks
    for task, what in server.player.unknown:
        print(f"unknown: {language} {task}: {what!r}", file=sys.stderr)
    server.shutdown()


print("| corpus | run | calls, estimated | calls, run | input, estimated | input, run | output, estimated | output, run |"
      " largest error |\n|---|---|---|---|---|---|---|---|---|")
for each in LANGUAGES:
    measured(each)
