"""What `entities duplicates --json` says, counted by rule, with a sample to judge: `table.py JSON SAMPLE_TSV`."""

import collections
import json
import random
import sys

found = json.load(open(sys.argv[1], encoding="utf-8"))
merges, pairs = found["merges"], found["pairs"]
print("| rule | names joined |")
print("| --- | --- |")
for rule, count in collections.Counter(merge["rule"] for merge in merges).most_common():
    print(f"| {rule} | {count} |")
print()
print("| doubtful pair | pairs |")
print("| --- | --- |")
for why, count in collections.Counter(pair["why"] for pair in pairs).most_common():
    print(f"| {why} | {count} |")
choose = random.Random(0)
with open(sys.argv[2], "w", encoding="utf-8") as out:
    for merge in sorted(choose.sample(merges, min(100, len(merges))), key=lambda m: (m["rule"], m["from"])):
        out.write(f"merge\t{merge['rule']}\t{merge['from']}\t{merge['into']}\n")
    for pair in sorted(choose.sample(pairs, min(100, len(pairs))), key=lambda p: (p["why"], p["low"])):
        out.write(f"pair\t{pair['why']}\t{pair['low']}\t{pair['high']}\n")
