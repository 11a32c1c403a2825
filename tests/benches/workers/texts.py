"""Writes texts of one text unit each, the same for every run: python texts.py FOLDER COUNT."""

import pathlib
import random
import sys

folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
chance = random.Random(1)
names = [
    f"{first} {last}" for first in ("Ada", "Ben", "Cleo", "Dora", "Emil") for last in ("Ashe", "Birch", "Cole", "Dunn")
]
for number in range(count):
    people = chance.sample(names, 6)
    pairs = zip(people, people[1:])
    lines = [f"{one} met {other} in room {chance.randrange(10_000)} of house {number}." for one, other in pairs]
    (folder / f"{number:05}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
