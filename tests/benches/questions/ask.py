#!/usr/bin/env python3
"""Asks the question sets of tests/fixtures/questions without a model and scores the answers.

ask.py PROGRAM SHARED WORK [--only plain|found|held|new|fresh|strangers|outsiders|yearbooks|newcomers|parish|latecomers|neighbours|villagers|households] [--embedding-model DIR] [-v]

PROGRAM is graphwright, SHARED the folder of the shared data, WORK a folder that keeps what was indexed. With
--embedding-model the questions are asked with local embeddings of the sentence model in DIR (scripts/embedding-model.sh
fetches one); what was indexed for them is kept beside the rest.
plain: points by the rules of the sets' README, of 120. found: how many unanswerable questions are refused, how many
answerable ones are not. held: the same of sets that nothing was fitted on. new: ten questions each to three corpora
that no rule was written over, of which those that their corpus does not answer want to be refused. fresh: the same of
detective stories, presidents' addresses and facts of the novel that no other set asks for. strangers: the same of texts made for
the purpose, which stand beside the questions. outsiders: the same once more, and nothing was fitted on them; yearbooks: the same
of two yearly reports; newcomers: the same of a handbook and a chronicle; parish: the same of a council, a workshop,
a surgery and a choir; latecomers: the same of allotments and a canteen; neighbours: the same of a housing cooperative, a hospital,
a survey and an obituary: the failures of the questions of odd numbers were read, those of even ones were not; villagers: the
same of minutes of a society, a letter, a tale in classical Chinese and a museum's page, halved alike; households: the same of
fourteen papers of a home, a club, a school and others, whose failures were read.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import zipfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SETS = Path(__file__).resolve().parents[2] / "fixtures" / "questions"
CORPORA = {
    "earnings-calls": "corpora/earnings-calls",
    "podcasts": "corpora/podcasts.zip",
    "a-christmas-carol": "corpora/a-christmas-carol.txt",
    "three-kingdoms": "corpora/three-kingdoms-ch1-20.zh.txt",
    "hotpotqa": "qa/hotpotqa/corpus.json",
    "2wiki": "qa/2wiki/corpus.json",
    "musique": "qa/musique/corpus.json",
    "chapter-43": "played/zh/docs",
    "call-2023": "played/en/docs",
    "holmes": "../bench/graphrag/corpus/holmes_*",
    "addresses": "../bench/graphrag/corpus/sotu_*",
    "strangers-news": SETS / "strangers" / "news",
    "strangers-tales": SETS / "strangers" / "tales",
    "outsiders": SETS / "outsiders",
    "yearbooks": SETS / "yearbooks",
    "newcomers": SETS / "newcomers",
    "parish": SETS / "parish",
    "latecomers": SETS / "latecomers",
    "neighbours": SETS / "neighbours",
    "villagers": SETS / "villagers",
    "households": SETS / "households",
    "docs": Path(__file__).resolve().parents[3] / "docs",
}


def lines(name):
    return [json.loads(line) for line in (SETS / name).read_text(encoding="utf-8").splitlines()]


class Program:
    def __init__(self, path, shared, work, model=None):
        self.path, self.shared, self.work, self.model = path, shared, work, model

    def folder(self, corpus):
        return self.work / (f"{corpus}-embedded" if self.model else corpus)

    def run(self, corpus, *arguments):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI", "NEO4J", "GRAPHWRIGHT"))}
        folder = self.folder(corpus)
        command = [self.path, "--data", str(folder / "data")]
        if self.model:
            command += ["--config", str(folder / "embedded.toml")]
        return subprocess.run(command + [*arguments], cwd=folder, env=environment, capture_output=True, text=True)

    def index(self, corpus):
        folder = self.folder(corpus)
        if (folder / "indexed").exists():
            return
        folder.mkdir(parents=True, exist_ok=True)
        if self.model:
            settings = f'[embeddings]\nprovider = "local"\npath = {json.dumps(str(self.model))}\n'
            (folder / "embedded.toml").write_text(settings, encoding="utf-8")
        given = self.documents(corpus, folder)
        done = self.run(corpus, "index", *given)
        if done.returncode != 0:
            sys.exit(f"{corpus}: {done.stderr}")
        (folder / "indexed").touch()

    def documents(self, corpus, folder):
        source = self.shared / CORPORA[corpus]
        if corpus == "docs":
            return [str(page) for page in sorted(source.rglob("*.md")) if page.name != "changelog.md"]
        if source.name.endswith("*"):
            return [str(text) for text in sorted(source.parent.resolve().glob(source.name))]
        if source.suffix == ".zip":
            with zipfile.ZipFile(source) as archive:
                archive.extractall(folder / "texts")
            return [str(folder / "texts")]
        if source.suffix == ".json":
            texts = folder / "passages.jsonl"
            passages = json.loads(source.read_text(encoding="utf-8"))
            with texts.open("w", encoding="utf-8") as out:
                for number, passage in enumerate(passages):
                    row = {"id": f"{number}", "title": passage["title"], "text": passage["text"]}
                    out.write(json.dumps(row, ensure_ascii=False) + "\n")
            return [str(texts)]
        return [str(source)]

    def ask(self, corpus, question):
        done = self.run(corpus, "query", "--json", question)
        if done.returncode != 0:
            return {"answer": "", "sources": [], "found": None, "error": done.stderr + done.stdout}
        answer = json.loads(done.stdout)
        return {**answer, "sources": sentences_of(answer)}


def sentences_of(answer):
    """The sentences that an answer rests on, each once, in its order."""
    sentences = []
    for citation in answer.get("citations", []):
        if citation.get("sentence") and citation["sentence"] not in sentences:
            sentences.append(citation["sentence"])
    return sentences or answer.get("sources", [])


def flat(text):
    return re.sub(r"\s+", " ", text.replace("’", "'")).lower()


def holds(text, alternatives):
    text = flat(text)
    return any(all(any(flat(part) in text for part in one.split("|")) for one in wanted) for wanted in alternatives)


def first_sentence(answer):
    sources = answer["sources"]
    return sources[0]["text"] if sources and answer.get("found", True) is not False else ""


def points(question, answer):
    if question["within"] == "refused":
        return 2 * (answer.get("found") is False)
    shown = first_sentence(answer) if question["within"] == "first-sentence" else answer["answer"]
    if question["within"] == "answered" and answer.get("found") is False:
        shown = ""
    if any(flat(wrong) in flat(shown) for wrong in question.get("reject", [])):
        return 0
    if holds(shown, question["accept"]):
        return 2
    together = " ".join(source["text"] for source in answer["sources"])
    return 1 if holds(together, question["accept"]) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("shared", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--only", choices=["plain", "found", "held", "new", "fresh", "strangers", "outsiders", "yearbooks", "newcomers", "parish", "latecomers", "neighbours", "villagers", "households"])
    parser.add_argument("--embedding-model", type=Path, metavar="DIR", help="a sentence model for local embeddings")
    parser.add_argument("-v", action="store_true", help="every question with its answer")
    given = parser.parse_args()
    program = Program(os.path.abspath(given.program), given.shared.resolve(), given.work.resolve(), given.embedding_model and given.embedding_model.resolve())
    with ThreadPoolExecutor(2) as pool:
        if given.only in (None, "plain"):
            plain(program, pool, "plain.jsonl", given.v)
        if given.only in (None, "found"):
            found(program, pool, given.v, ("unanswerable", False), ("answerable", True))
            found(program, pool, given.v, ("unanswerable-more", False), ("answerable-more", True))
        if given.only in (None, "held"):
            plain(program, pool, "held-out.jsonl", given.v)
            found(program, pool, given.v, ("held-out-none", False))
            found(program, pool, given.v, ("held-out-none-more", False), ("held-out-more", True))
        if given.only in (None, "new"):
            plain(program, pool, "new-user.jsonl", given.v)
        if given.only in (None, "fresh"):
            plain(program, pool, "fresh.jsonl", given.v)
        if given.only in (None, "strangers"):
            plain(program, pool, "strangers.jsonl", given.v)
        if given.only in (None, "outsiders"):
            plain(program, pool, "outsiders.jsonl", given.v)
        if given.only in (None, "yearbooks"):
            plain(program, pool, "yearbooks.jsonl", given.v)
        if given.only in (None, "newcomers"):
            plain(program, pool, "newcomers.jsonl", given.v)
        if given.only in (None, "parish"):
            plain(program, pool, "parish.jsonl", given.v)
        if given.only in (None, "latecomers"):
            plain(program, pool, "latecomers.jsonl", given.v)
        if given.only in (None, "neighbours"):
            plain(program, pool, "neighbours.jsonl", given.v, odd=True)
            plain(program, pool, "neighbours.jsonl", given.v, odd=False)
        if given.only in (None, "villagers"):
            plain(program, pool, "villagers.jsonl", given.v, odd=True)
            plain(program, pool, "villagers.jsonl", given.v, odd=False)
        if given.only in (None, "households"):
            plain(program, pool, "households.jsonl", given.v)


def asked(program, pool, questions, corpus_of):
    for corpus in sorted({corpus_of(question) for question in questions}):
        program.index(corpus)
    return list(pool.map(lambda question: program.ask(corpus_of(question), question["question"]), questions))


def plain(program, pool, name, verbose, odd=None):
    questions = [row for row in lines(name) if odd is None or odd == (int(row["id"].split("-")[-1]) % 2 == 1)]
    answers = asked(program, pool, questions, lambda question: question["corpus"]["name"])
    by = defaultdict(list)
    for question, answer in zip(questions, answers):
        got = points(question, answer)
        by[question["language"]].append(got)
        by[question["kind"]].append(got)
        if verbose:
            print(f'{got} {question["id"]} {question["kind"]}: {question["question"]}  => {question["answer"]}')
            print(f'    {answer.get("confidence")} {answer.get("found")} {answer.get("error", "")}')
            for source in answer["sources"]:
                print("    -", flat(source["text"])[:230])
    total = sum(sum(got) for name, got in by.items() if name in ("en", "zh"))
    of_half = {None: "", True: ", odd numbers", False: ", even numbers"}[odd]
    print(f"{name}{of_half}: {total} of {2 * len(questions)}")
    for group, got in by.items():
        print(f"  {group}: {sum(got)} of {2 * len(got)}")
    wanted = [question["within"] == "refused" for question in questions]
    refused = [answer.get("found") is False for answer in answers]
    right = sum(one and other for one, other in zip(wanted, refused))
    print(f"  refused: {right} of {sum(wanted)} without an answer, {sum(refused) - right} of {len(wanted) - sum(wanted)} with one")


def found(program, pool, verbose, *sets):
    for name, wanted in sets:
        questions = lines(f"{name}.jsonl")
        answers = asked(program, pool, questions, lambda question: question["corpus"])
        right = Counter()
        of = Counter()
        for question, answer in zip(questions, answers):
            for group in ("all", question["make"], question["corpus"]):
                of[group] += 1
                right[group] += answer.get("found") is wanted
            if verbose:
                first = flat(answer["sources"][0]["text"])[:160] if answer["sources"] else ""
                confidence = answer.get("confidence")
                print(f'{answer.get("found") is wanted} {confidence} {question["make"]} {question["corpus"]}: {question["question"]} => {first}')
        print(f"{name}, rightly told:", ", ".join(f"{group} {right[group]}/{of[group]}" for group in of))


if __name__ == "__main__":
    main()
