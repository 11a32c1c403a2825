"""Every command on graphs of several sizes: python measure.py GRAPHWRIGHT WORK DOCUMENTS [DOCUMENTS...]

Each size is indexed anew under WORK from generated documents, some nine entities each. Each command then runs twice: once
for CPU seconds and peak memory, once with its statements traced, for the rows that they gave and the steps of SQLite's
machine, which also grow with the rows that are only looked at. A command that changes the graph runs on a copy.

FLAGS in the environment go before each command, for other stores: each size is a workspace there. Their traces have rows
and no steps, so instead of steps there are seconds by the clock, and the CPU seconds of the servers whose processes SERVERS
names (PID,PID). A workspace cannot be copied, so what changes the graph runs in it, and what it did is taken back.

Prints a markdown table, and behind it whatever grows faster than n log n from the smallest to the largest size.
"""

import json
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

GRAPHWRIGHT, WORK = os.path.abspath(sys.argv[1]), Path(sys.argv[2])
SIZES = [int(size) for size in sys.argv[3:]]
FLAGS = os.environ.get("FLAGS", "").split()
SERVERS = [int(pid) for pid in os.environ.get("SERVERS", "").split(",") if pid]
LIMIT = float(os.environ.get("LIMIT", "900"))
SYLLABLES = "bar den fel gor han kel lin mor nas pol ran sel tor ven wil zan".split()
GIVEN = "Ada Ben Clara David Ella Frank Grace Henry Ida Jacob Klara Louis Maria Nora Otto Paul Rosa Simon".split()

# what reads, on the graph itself; then what changes it, on a copy. Searches that need a model or embeddings are left out.
READS = [
    ["status"],
    ["doctor"],
    ["export", "../exported-{size}"],
    ["map", "-o", "../map-{size}.html"],
    ["trends"],
    ["communities", "--history"],
    ["communities", "--list"],
    ["communities", "--dry-run"],
    ["entities", "list"],
    ["entities", "show", "{person}"],
    ["entities", "duplicates"],
    ["entities", "edits"],
    ["questions"],
    ["qa", "list"],
    ["qa", "misses"],
    ["index", "docs", "--dry-run"],
    *(
        ["query", "--method", method, "Whom did {person} meet?"]
        for method in "local global basic source".split()
    ),
    ["index", "docs"],
    ["sync", "docs"],
]
CHANGES = [
    ["index", "more"],
    ["index", "more", "--warm"],
    ["remove", "docs/2001-01-01 0.txt"],
    ["sync", "docs", "--refresh"],
    ["communities"],
    ["communities", "--fresh"],
    ["entities", "rename", "{person}", "Zoe Zander"],
    ["entities", "delete", "{person}"],
    ["qa", "add", "Who is {person}?", "Somebody."],
    ["qa", "check"],
    ["sync-vectors"],
    ["doctor", "--fix"],
    ["import", "--replace", "../exported-{size}"],
]
# how a workspace on a server comes back to what it was
TAKEN_BACK = {
    "index": ["remove", "more"],
    "remove": ["index", "docs"],
    "entities rename": ["entities", "undo", "{edit}"],
    "entities delete": ["entities", "undo", "{edit}"],
    "qa add": ["qa", "undo"],
}


def surname(number):
    name = ""
    while True:
        name += SYLLABLES[number % len(SYLLABLES)]
        number //= len(SYLLABLES)
        if not number:
            return name.capitalize()


def person(number):
    return f"{GIVEN[number % len(GIVEN)]} {surname(number + 16)}"


def write(folder, first, count):
    """Documents of persons of their own who meet those of earlier ones, in one town of a few."""
    folder.mkdir(parents=True)
    for number in range(first, first + count):
        own = [person(8 * number + place) for place in range(8)]
        earlier = person(number * 7919 % (8 * max(1, first + count)))
        town = f"{surname(300 + number % 97)} Bridge"
        text = " ".join(f"{one} met {other} in {town}." for one, other in zip(own, own[1:] + [earlier]))
        (folder / document(number)).write_text(text + "\n")


def document(number):
    return f"{2001 + number % 20}-{1 + number % 12:02}-{1 + number % 28:02} {number}.txt"


def spent_by_servers():
    """CPU seconds that the servers have taken since they were started."""
    ticks = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13] for pid in SERVERS]
    return sum(int(tick) for both in ticks for tick in both) / os.sysconf("SC_CLK_TCK")


def environment_of(folder):
    """On servers each size is a workspace."""
    return dict(os.environ) | ({"GRAPHWRIGHT_WORKSPACE": f"size{folder.parent.name}"} if FLAGS else {})


def run(folder, command, trace=False, limit=LIMIT):
    """CPU seconds, peak MB, seconds by the clock and CPU seconds of servers, or statements with their rows and steps; None
    where it took too long."""
    environment = environment_of(folder)
    if trace:
        environment["GRAPHWRIGHT_LOG"] = "graphwright::stores=trace"
    before, begun, served = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic(), spent_by_servers()
    log = WORK / "stderr"
    with open(log, "w") as stderr:
        # under `time`, which tells the peak of this child alone
        process = subprocess.Popen(
            [sys.executable, "-c", PEAK, GRAPHWRIGHT, "-q", *FLAGS, *command],
            cwd=folder, stdout=subprocess.PIPE, stderr=stderr, env=environment, text=True, start_new_session=True,
        )
        try:
            printed, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None
    after, clock, served = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - begun, spent_by_servers() - served
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    code, peak = (int(word) for word in printed.strip().splitlines()[-1].split())
    if not trace:
        return (cpu, peak / 1000, clock, served), code, log.read_text()[-300:]
    costs = {}
    with open(log) as lines:
        for line in lines:
            numbers, found, statement = line.partition(" statement=")
            if found:
                field = lambda name: int((re.search(rf" {name}=(\d+)", numbers) or [0, 0])[1])
                rows, steps = costs.get(statement, (0, 0))
                costs[statement] = (rows + field("rows"), steps + field("steps"))
    return costs


PEAK = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def prepare(size):
    base = WORK / str(size) / "base"
    if not base.exists():
        write(base / "docs", 0, size)
        write(base / "more", size, 1)
        print(f"{size} documents indexed: {run(base, ['index', 'docs'], limit=None)}", file=sys.stderr, flush=True)
    return base


def filled(command, size):
    return [word.format(size=size, person=person(3)) for word in command]


def measured(size, command, changes):
    base = prepare(size)
    results = []
    for trace in (False, True):
        folder = base
        if changes and not FLAGS:
            folder = WORK / str(size) / "copy"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(base, folder)
        results.append(run(folder, filled(command, size), trace))
        if results[-1] is None:
            return None
        if changes and FLAGS:
            take_back(folder, command)
    return results


def take_back(folder, command):
    """Brings a workspace on a server back to what it was before the command."""
    back = TAKEN_BACK.get(" ".join(command[:2])) or TAKEN_BACK.get(command[0])
    if back and "{edit}" in back:
        edits = read_json(folder, "entities", "edits")
        back = [edits[-1]["id"] if word == "{edit}" else word for word in back] if edits else None
    if back:
        run(folder, back)


def read_json(folder, *command):
    """What a command says as JSON."""
    done = subprocess.run(
        [GRAPHWRIGHT, "--json", *FLAGS, *command],
        cwd=folder, env=environment_of(folder), check=True, capture_output=True, text=True,
    )
    return json.loads(done.stdout)


def entities(size):
    status = read_json(prepare(size), "status")
    return status.get("counts", status)["entities"]


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    counts = [entities(size) for size in SIZES]
    what = "CPU s, MB, rows, s by the clock, the servers' CPU s" if FLAGS else "CPU s, MB, rows, steps"
    heads = [f"{count} entities: {what}" for count in counts]
    print("| command | " + " | ".join(heads) + " | grows as n^ |")
    print("| --- |" + " --- |" * (len(SIZES) + 1), flush=True)
    few, many = counts[0], counts[-1]
    allowed = many * math.log(many) / (few * math.log(few))
    steep = []
    for changes, commands in ((False, READS), (True, CHANGES)):
        for command in commands:
            cells, first, last = [], None, None
            for size in SIZES:
                results = measured(size, command, changes)
                if results is None:
                    cells.append(f"not ended after {LIMIT:.0f} s")
                    steep.append(f"`{' '.join(command)}` had not ended after {LIMIT:.0f} s over {size} documents")
                    break
                ((cpu, peak, clock, served), code, said), costs = results
                if code not in (0, 4):
                    cells.append(f"exit {code}: {said.strip().splitlines()[-1][:80] if said.strip() else ''}")
                    continue
                rows, steps = (sum(cost[place] for cost in costs.values()) for place in (0, 1))
                cells.append(f"{cpu:.2f}, {peak:.0f}, {rows}, " + (f"{clock:.1f}, {served:.1f}" if FLAGS else f"{steps}"))
                taken = cpu + served
                first, last = first or (size, taken, costs), (size, taken, costs)
            exponent = ""
            if first and last and first[0] == SIZES[0] and last[0] == SIZES[-1] and many > few:
                exponent = f"{math.log(max(last[1], 0.01) / max(first[1], 0.01)) / math.log(many / few):.2f}"
                for statement, (rows, steps) in last[2].items():
                    earlier = first[2].get(statement, (0, 0))
                    for now, was, what in ((rows, earlier[0], "rows"), (steps, earlier[1], "steps")):
                        if now > 1.5 * allowed * max(was, 50) + 1000:
                            steep.append(f"`{' '.join(command)}`, {what} {was} -> {now}: {statement.strip()[:110]}")
            print(f"| `{' '.join(command)}` | " + " | ".join(cells + [""] * (len(SIZES) - len(cells))) + f" | {exponent} |", flush=True)
    print()
    print("Faster than n log n: " + ("nothing." if not steep else ""))
    for line in steep:
        print(f"- {line}")


main()
