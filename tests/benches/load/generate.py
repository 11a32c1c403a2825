"""Text for load tests: python generate.py MEGABYTES FOLDER [CIRCLES] [SEED]

Files of some 100 kB, paragraphs of invented sentences. Each file is about one circle of people, places and firms, as a
book is; some names are in many circles. There are CIRCLES of them [200]: once all are known, text grows and the graph
does not, so that what grows in memory is the text's share. 0: each file has a circle of its own, and the graph grows as
the text does. The same arguments give the same bytes.
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
    """Half of the time a new one, else one of those known, early ones more often."""

    def __init__(self, source, make):
        self.source, self.make, self.known = source, make, []

    def some(self, count):
        return [self.one() for _ in range(count)]

    def one(self):
        if not self.known or self.source.random() < 0.5:
            self.known.append(self.make(len(self.known)))
            return self.known[-1]
        return self.known[int(len(self.known) * self.source.random() ** 3)]


def sentence(source, people, places, firms):
    def person():
        return source.choice(people)

    verb, thing, other = source.choice(VERBS), source.choice(THINGS), source.choice(THINGS)
    place, firm = source.choice(places), source.choice(firms)
    kinds = [
        f"{person()} {verb} {person()} in {place} because of the {thing}.",
        f"The {thing} of {person()} was kept by {firm} near the {other} until spring.",
        f"{person()} was sent a {thing} and an old {other} from {place}.",
        f"When {person()} spoke of the {thing}, everyone listened and thought of the {other}.",
        f"Nobody had seen the {thing} since the {other} was lost, and the evening grew long and quiet.",
    ]
    return source.choices(kinds, weights=[1, 1, 1, 1, 4])[0]


def main():
    megabytes, folder = float(sys.argv[1]), Path(sys.argv[2])
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    source = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    person = Names(source, lambda n: f"{source.choice(FIRST)} {surname(n)}")
    place = Names(source, lambda n: f"{surname(n * 7 + 3)} {source.choice(PLACES)}")
    firm = Names(source, lambda n: f"{surname(n * 11 + 5)} {source.choice(FIRMS)}")
    circles = []
    folder.mkdir(parents=True, exist_ok=True)
    left, number = int(megabytes * 1_000_000), 0
    while left > 0:
        size, parts = 0, []
        if not most or len(circles) < most:
            circles.append((person.some(20), place.some(6), firm.some(4)))
        circle = circles[-1] if len(circles) == number + 1 else source.choice(circles)
        while size < min(100_000, left):
            paragraph = " ".join(sentence(source, *circle) for _ in range(source.randint(3, 8)))
            parts.append(paragraph)
            size += len(paragraph) + 2
        path = folder / f"{number // 1000:03}" / f"{number:06}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
        left -= size
        number += 1


main()
