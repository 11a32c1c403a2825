"""Text for load tests: python generate.py MEGABYTES FOLDER [SEED]

Files of some 100 kB, paragraphs of invented sentences about people, places and firms. Names are drawn so that a few are
everywhere and new ones keep coming, as in real corpora: the graph grows with the text. The same arguments give the same bytes.
"""

import random
import sys
from pathlib import Path

FIRST = "Ada Ben Clara David Ella Frank Grace Henry Ida Jacob Klara Louis Maria Nora Otto Paul Rosa Simon Thea Victor".split()
SYLLABLES = "bar den fel gor han kel lin mor nas pol ran sel tor ven wil zan".split()
PLACES = "Street Hill Bridge Harbour Square Mill Abbey Station".split()
FIRMS = "Bank Company Society Works Brothers Trading Press Institute".split()
VERBS = ["met", "visited", "wrote to", "worked for", "left", "joined", "trusted", "warned", "married", "followed"]
THINGS = "letter ledger garden carriage contract lantern window painting journey meeting harvest winter".split()


def surname(number):
    name = ""
    while True:
        name += SYLLABLES[number % len(SYLLABLES)]
        number //= len(SYLLABLES)
        if not number:
            return name.capitalize()


class Names:
    """Every so often a new one, else one of those known, early ones more often."""

    def __init__(self, source, make, share):
        self.source, self.make, self.share, self.known = source, make, share, []

    def __call__(self):
        if not self.known or self.source.random() < self.share:
            self.known.append(self.make(len(self.known)))
            return self.known[-1]
        return self.known[int(len(self.known) * self.source.random() ** 3)]


def sentence(source, person, place, firm):
    verb, thing = source.choice(VERBS), source.choice(THINGS)
    other = source.choice(THINGS)
    return source.choice(
        [
            f"{person()} {verb} {person()} in {place()} because of the {thing}.",
            f"The {thing} of {person()} was kept by {firm()} near the {other} until spring.",
            f"{firm()} of {place()} sent {person()} a {thing} and an old {other}.",
            f"Nobody had seen the {thing} since the {other} was lost, and the evening grew long and quiet.",
            f"When {person()} spoke of the {thing}, everyone listened and thought of the {other}.",
        ]
    )


def main():
    megabytes, folder = float(sys.argv[1]), Path(sys.argv[2])
    source = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    person = Names(source, lambda n: f"{source.choice(FIRST)} {surname(n)}", 0.02)
    place = Names(source, lambda n: f"{surname(n * 7 + 3)} {source.choice(PLACES)}", 0.01)
    firm = Names(source, lambda n: f"{surname(n * 11 + 5)} {source.choice(FIRMS)}", 0.01)
    folder.mkdir(parents=True, exist_ok=True)
    left, number = int(megabytes * 1_000_000), 0
    while left > 0:
        size, parts = 0, []
        while size < min(100_000, left):
            paragraph = " ".join(sentence(source, person, place, firm) for _ in range(source.randint(3, 8)))
            parts.append(paragraph)
            size += len(paragraph) + 2
        path = folder / f"{number // 1000:03}" / f"{number:06}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
        left -= size
        number += 1


main()
