#!/usr/bin/env python3
"""Every search asked every question of some corpora with a careful reader as the model (`reading.py`): what was read of the
sentences that carry the answers, what the citations lead to, calls and tokens; and the answers, to be marked.

  play.py SHARED WORK GRAPHWRIGHT      called by scripts/bench-played.sh with PARTS=play, which tells the settings

Requests that nobody wrote a reply to yet wait in WORK/CORPUS/asked until one is in WORK/CORPUS/replies (same name; write
elsewhere, then rename)."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import zlib
from http.server import ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "citations"))
import played  # noqa: E402
from played import CITED, flat  # noqa: E402
from reading import Reader  # noqa: E402

SHARED, WORK, PROGRAM = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
METHODS = {
    "basic": ["basic"], "source": ["source"], "global, level 0": ["global", "--level", "0"],
    "global, level 1": ["global", "--level", "1"], "global, level auto": ["global", "--level", "auto"], "local": ["local"],
    "drift": ["drift"], "raptor": ["raptor"], "raptor, traversal": ["raptor", "--traversal"], "reader": ["reader"],
}
ONLY = os.environ["METHODS"].split(";") if os.environ.get("METHODS") else list(METHODS)
DIMENSION = 256
CONFIG = """
[llm]
provider = "openai"
model = "played"
base_url = "http://127.0.0.1:{port}/v1"
api_key = "x"
timeout_s = 3600
[llm.extra_body]
metadata = {{ task = "{{task}}" }}
[embeddings]
{embeddings}
[extraction]
claims = true
[search.drift]
max_seconds = 3600
"""
# HotpotQA: the passages of the first 12 questions, which are asked, and of the next 6
ASKED, PASSAGES = 12, 18


def embedded(text):
    """Hashed words and pairs of Chinese characters: for a language that the local model does not know."""
    vector = [0.0] * DIMENSION
    han = re.findall("[\u4e00-\u9fff]", text)
    for piece in [a + b for a, b in zip(han, han[1:])] + re.findall(r"\w{3,}", text.lower()):
        vector[zlib.crc32(piece.encode()) % DIMENSION] += 1.0
    vector[0] += 0.01
    return vector


class Endpoint(played.Endpoint):
    def do_POST(self):
        if not self.path.endswith("/embeddings"):
            return super().do_POST()
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        inputs = body["input"] if isinstance(body["input"], list) else [body["input"]]
        data = [{"object": "embedding", "index": at, "embedding": embedded(text)} for at, text in enumerate(inputs)]
        reply = json.dumps({"object": "list", "data": data, "usage": {"prompt_tokens": 0, "total_tokens": 0}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)


class Watched(Reader):
    """Keeps the prompts of each question."""

    prompts = {}

    def reply(self, body):
        shown = "\n".join(m["content"] for m in body["messages"] if m["role"] != "system")
        with self.lock:
            for key, read in self.questions.items():
                if read is self.question_of(shown):
                    self.prompts.setdefault(key, []).append(shown)
        return super().reply(body)


def hotpotqa(folder):
    """The documents, and the questions with the places of their supporting facts as the reader's file names them."""
    data = SHARED / "data/qa/hotpotqa"
    questions = json.load(open(data / "questions.json", encoding="utf-8"))
    texts = {p["title"]: p["text"] for p in json.load(open(data / "corpus.json", encoding="utf-8"))}
    hand = json.load(open(Path(__file__).parent / "readers/hotpotqa.json", encoding="utf-8"))
    docs = {}
    for title in dict.fromkeys(t for q in questions[:PASSAGES] for t in q["gold"]):
        name = re.sub(r"[^\w]+", "-", title.replace("&quot;", "").replace("&amp;", "and")).strip("-")
        docs[f"docs/{name}.md"] = f"# {title.replace('&quot;', '').replace('&amp;', '&')}\n\n{texts[title]}\n"
    if not (folder / "docs").exists():
        (folder / "docs").mkdir(parents=True)
        for name, text in docs.items():
            (folder / name).write_text(text, encoding="utf-8")
    asked = []
    for question, read in zip(questions[:ASKED], hand):
        places = []
        for said in read["say"]:
            numbers = []
            for words in said["at"]:
                document, text = next((d, t) for d, t in docs.items() if words in t)
                at = text.index(words)
                start = max(text.rfind(". ", 0, at) + 2, text.rfind("\n", 0, at) + 1, 0) if ". " in text[:at] else text.rfind("\n", 0, at) + 1
                ends = [e for e in (text.find(". ", at + 10), text.find("\n", at + 10)) if e >= 0]
                numbers.append(len(places))
                places.append([document, start, min(ends)])
            said["at"] = numbers
        asked.append({"question": question["question"].strip(), "answer": question["answer"], "at": places})
    return docs, asked, hand


def recorded(language, folder):
    source = SHARED / "data/played" / language
    if not (folder / "docs").exists():
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source / "docs", folder / "docs")
    docs = {f"docs/{path.name}": path.read_text(encoding="utf-8") for path in (source / "docs").iterdir()}
    hand = json.load(open(Path(__file__).parent / f"readers/{language}.json", encoding="utf-8"))
    return docs, json.load(open(source / "keys.json", encoding="utf-8"))["questions"], hand


def run(folder, *arguments, fails=False):
    environment = {**os.environ, "GRAPHWRIGHT_TRUST": "1"}
    done = subprocess.run([PROGRAM, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode and not (fails and done.returncode == 4):
        sys.exit(f"graphwright {' '.join(arguments)}: exit {done.returncode}\n{done.stderr[-3000:]}{done.stdout[-1000:]}")
    return done.stdout


def overlaps(given, right):
    start, end = max(given[0], right[0]), min(given[1], right[1])
    return end > start and 2 * (end - start) >= min(given[1] - given[0], right[1] - right[0])


def cited_right(answer, read):
    """(right citations, all citations, sentences that they lead to, what is wrong)."""
    text, right, count, places, wrong = answer["answer"].encode(), 0, 0, [], []
    for mark in answer["marks"]:
        before = CITED.sub("", text[:mark["start"]].decode()).split("\n")[-1]
        fits = [s for s in read["say"] if all(flat(p) in flat(before) for p in s["t"].rstrip(".。").split("{}"))]
        wanted = [place for s in fits for place in s["places"]]
        wanted += [place for s in fits for part in s.get("parts", []) for place in part[2]]
        for citation in (answer["citations"][at] for at in mark["citations"]):
            count += 1
            sentence = citation["sentence"]
            place = sentence and (sentence["document"], sentence["start"], sentence["end"])
            if place:
                places.append(place)
            if place and any(place[0] == d and overlaps(place[1:], (a, b)) for d, a, b in wanted):
                right += 1
            else:
                wrong.append((before, citation["kind"], sentence and sentence["text"]))
    return right, count, places, wrong


def ask(folder, player, questions, method):
    """All questions in one process, one after the other."""
    player.prompts = {}
    (folder / "questions.txt").write_text("\n".join(q["question"] for q in questions) + "\n", encoding="utf-8")
    out = run(folder, "query", "--json", "--method", *METHODS[method], "--file", "questions.txt", fails=True)
    answers = {}
    for line in (out or "").splitlines():
        told = json.loads(line)
        answers[flat(told["question"])] = told["answer"] if isinstance(told.get("answer"), dict) else told
    return [judged(player, question, method, answers.get(flat(question["question"]))) for question in questions]


def judged(player, question, method, answer):
    key = flat(question["question"])
    if answer is None or "answer" not in answer:
        return {"method": method, "question": question["question"], "failed": True}
    shown = flat("\n".join(player.prompts.get(key, [])))
    texts = [flat(player.texts[d][a:b]) for d, a, b in question["at"]]
    right, count, places, wrong = cited_right(answer, player.questions[key])
    led = sum(any(d == p[0] and overlaps(p[1:], (a, b)) for p in places) for d, a, b in question["at"])
    return {
        "method": method, "question": question["question"], "reference": question["answer"],
        "answer": CITED.sub("", answer["answer"]), "read": sum(t in shown for t in texts), "led": led, "of": len(texts),
        "calls": answer["calls"], "tokens": answer["tokens"], "right": right, "citations": count, "wrong": wrong,
        "notes": answer.get("notes"),
    }


def corpus(name):
    folder = WORK / name
    folder.mkdir(parents=True, exist_ok=True)
    docs, questions, by_hand = hotpotqa(folder) if name == "hotpotqa" else recorded(name, folder)
    known = None if name == "hotpotqa" else str(SHARED / "data/played" / name)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    hand = Watched(by_hand, questions, docs, known, folder)
    hand.composes = name in os.environ.get("COMPOSED", "").split(",")
    if name == "hotpotqa":
        hand.records_of(Path(__file__).parent / "readers/hotpotqa-records.txt")
    server.player = hand
    threading.Thread(target=server.serve_forever, daemon=True).start()
    local = f'provider = "local"\npath = "{os.environ.get("EMBEDDING_MODEL", "")}"'
    remote = f'provider = "openai"\nmodel = "hashed"\nbase_url = "http://127.0.0.1:{server.server_port}/v1"\napi_key = "x"'
    is_local = os.environ.get("EMBEDDING_MODEL") and name != "zh"
    (folder / "graphwright.toml").write_text(CONFIG.format(port=server.server_port, embeddings=local if is_local else remote))
    run(folder, "index", "docs", "--raptor", "--reader")
    print(name, "indexed:", json.dumps(hand.asked), file=sys.stderr, flush=True)
    # every call counts
    settings = (folder / "graphwright.toml").read_text().replace("timeout_s", "cache = false\ntimeout_s")
    (folder / "graphwright.toml").write_text(settings)
    rows = []
    for method in ONLY:
        rows += [{"corpus": name, **row} for row in ask(folder, hand, questions, method)]
        (WORK / f"{name}.answers.json").write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")
        print(name, method, [row.get("calls", "failed") for row in rows[-len(questions):]], file=sys.stderr, flush=True)
    server.shutdown()
    return rows


def table(rows):
    """With marks from 0 to 2 where WORK/marks.json has them, by corpus, question and answer."""
    path = WORK / "marks.json"
    marks = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    mark = lambda row: marks.get("|".join([row["corpus"], row["question"], " ".join(row["answer"].split())]))
    print("| corpus | search | sentences read | led to | citations right | marks | calls a question | read a question | written |\n"
          "|---|---|---|---|---|---|---|---|---|")
    for name in dict.fromkeys(row["corpus"] for row in rows):
        for method in ONLY:
            these = [row for row in rows if row["corpus"] == name and row["method"] == method and not row.get("failed")]
            if not these:
                continue
            total = lambda key: sum(row[key] for row in these)
            tokens = [sum(row["tokens"].get(k, 0) for row in these) / len(these) for k in ("input", "output")]
            given = [mark(row) for row in these]
            marked = f"{sum(given)} of {2 * len(given)}" if None not in given else "-"
            print(f"| {name} | {method} | {total('read')} of {total('of')} | {total('led')} | {total('right')} of"
                  f" {total('citations')} | {marked} | {total('calls') / len(these):.1f} | {tokens[0]:,.0f} | {tokens[1]:,.0f} |")


if __name__ == "__main__":
    found = []
    for each in os.environ.get("CORPORA", "en zh hotpotqa").split():
        found += corpus(each)
    table(found)
