"""An endpoint that plays recorded runs: what was replied once is replied again, also where prompts have changed.

A request is answered by the first of these that fits: the same messages; for extraction and gleaning, the same text; for
reports, the report of the most alike entities; for summaries, the same names; for verdicts, the keys; for everything
else, the same question. Numbers of a recorded reply are those of its own tables: they are looked up there, and replaced
by those of the tables that are shown now; what is not shown now is not cited."""

import difflib
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FENCE = "############"
CITED = re.compile(r"[ \t]*\[Data: ([^\]]*)\]")
GROUP = re.compile(r"(Sources|Entities|Relationships|Claims|Reports) \(([^)]*)\)")
QUESTION = re.compile(r"^(?:Follow-up question|Question): *(?:\n#{12,}.*\n)?(.*)$", re.M)


def blocks(text):
    """What stands between the fences of a prompt."""
    found, lines = [], None
    for line in text.splitlines():
        if line.startswith(FENCE):
            if lines is None:
                lines = []
            else:
                found.append("\n".join(lines))
                lines = None
        elif lines is not None:
            lines.append(line)
    return found


def tables(text):
    """The records of a prompt's tables: {kind: {number: text}}."""
    records, kind, number = {}, None, None
    for line in "\n".join(blocks(text)).splitlines():
        if found := re.match(r"## (Sources|Entities|Relationships|Claims|Reports)$", line):
            kind, number = found[1], None
        elif found := re.match(r"Source (\d+):$", line):
            kind, number = "Sources", int(found[1])
            records.setdefault(kind, {})[number] = ""
        elif kind and (found := re.match(r"(?:\[(\d+)\] |(\d+) \| )(.*)", line)):
            number = int(found[1] or found[2])
            records.setdefault(kind, {})[number] = found[3]
        elif kind and number:
            records[kind][number] += "\n" + line
    return records


def tokens(text):
    """About as many as an encoding of today has: four letters, or one Chinese character and a third."""
    han = sum("\u4e00" <= character <= "\u9fff" for character in text)
    return round((len(text) - han) / 4 + han * 0.75)


def flat(text):
    return re.sub(r"\W+", "", text).lower()


def likeness(kind, one, other):
    """How much two records are one; 0 where they are not."""
    columns = [[part.strip() for part in text.split(" | ")] for text in (one, other)]
    if kind == "Entities":
        return float(columns[0][0] == columns[1][0])
    if kind == "Relationships":
        return float(set(columns[0][:2]) == set(columns[1][:2]))
    a, b = flat(one), flat(other)
    if kind == "Reports":
        return float(a[:24] == b[:24]) or difflib.SequenceMatcher(None, a[:200], b[:200]).ratio() * 0.9
    if kind == "Sources":
        pieces = [a[at:at + 40] for at in range(0, max(len(a) - 40, 1), 40)]
        return sum(piece in b for piece in pieces) / len(pieces)
    last = [flat(c[-1]) if len(c) < 6 else flat(" ".join(c[-2:])) for c in columns]
    return difflib.SequenceMatcher(None, *last).ratio()


class Player:
    def __init__(self, folder, sources=None):
        """Without a folder nothing is recorded. `sources` is the folder of the run over the same texts that has them and
        the names that are one, where this one has neither."""
        self.calls, self.keys = [], {"same": []}
        if folder:
            self.calls = [json.loads(line) for line in open(f"{folder}/calls.jsonl", encoding="utf-8")]
            self.calls = [call for call in self.calls if not call.get("stub")]
            self.keys = json.load(open(f"{sources or folder}/keys.json", encoding="utf-8"))
        for call in self.calls if sources else []:
            if "at" in call:
                document, start, end = call["at"]
                call["text"] = open(f"{sources}/{document}", encoding="utf-8").read()[start:end]
            # only what an answer cites is kept of what it was shown
            call.setdefault("user", "")
        self.exact = {self.key(c["system"], c["user"], c.get("turns") or []): c["reply"] for c in self.calls}
        self.given, self.seen = [], {}
        # of the last reply: the numbers now of what it cited by others, or None where nothing had to be renumbered
        self.numbers_now = None
        self.asked, self.unknown, self.lock = {}, [], threading.Lock()
        self.tokens = {}

    def key(self, system, user, turns):
        turns = [turn if isinstance(turn, str) else turn["content"] for turn in turns]
        return json.dumps([system, user, turns], ensure_ascii=False)

    def reply(self, body):
        messages = body["messages"]
        system = next((m["content"] for m in messages if m["role"] == "system"), "")
        rest = [m["content"] for m in messages if m["role"] != "system"]
        task = (body.get("metadata") or {}).get("task", "")
        with self.lock:
            self.asked[task] = self.asked.get(task, 0) + 1
            read = self.tokens.setdefault(task, [0, 0])
            read[0] += sum(tokens(message["content"]) for message in messages)
        if task == "restated_statements":
            # it follows the answer, whose numbers stay
            return self.restated(rest[0])
        said = self.exact.get(self.key(system, rest[0], rest[1:]))
        self.numbers_now = None
        if said is None and task == "question_words":
            # nobody was asked for them when the runs were recorded
            said = ""
        if said is None:
            said = self.similar(task, rest[0])
        if said is None:
            self.unknown.append((task, rest[0][-200:]))
            said = "{}"
        with self.lock:
            self.tokens[task][1] += tokens(said)
        if CITED.search(said):
            self.given.append((said, self.names(rest[0], said)))
        return said

    def restated(self, user):
        """The statements of English answers over the Chinese texts as these would say them, written by hand after the runs."""
        known = json.loads((Path(__file__).parent / "restated.json").read_text(encoding="utf-8"))
        lines = []
        for number, line in re.findall(r"^(\d+)\. (.*)$", blocks(user)[-1], flags=re.M):
            lines += [f"{number}. {said}" for words, said in known.items() if flat(words) in flat(line)]
        return "\n".join(lines)

    def names(self, user, said):
        """The records that a reply cites, citation by citation."""
        shown = self.shown(user)
        return [[(kind, shown.get(kind, {}).get(number)) for kind, number in self.numbers(group)]
                for group in CITED.findall(said)]

    def numbers(self, group):
        return [(kind, int(number)) for kind, list_ in GROUP.findall(group) for number in re.findall(r"\d+", list_)]

    def shown(self, user):
        """The tables of a prompt; where it only shows texts that cite, what these were written from."""
        records = tables(user)
        if "Notebook" in user and records:
            # a reader cites what it has been shown before by the same numbers
            for kind, texts in records.items():
                self.seen.setdefault(kind, {}).update(texts)
            return self.seen
        if records:
            return records
        for text in blocks(user):
            at = 0
            for found in CITED.finditer(text):
                before = flat(CITED.sub("", text[max(at, found.start() - 300):found.start()]))[-20:]
                for said, names in reversed(self.given):
                    end, hit = 0, None
                    for cited, of in zip(CITED.finditer(said), names):
                        if before and flat(CITED.sub("", said[end:cited.start()])).endswith(before):
                            hit = of
                            break
                    if hit:
                        for (kind, number), (_, record) in zip(self.numbers(found[1]), hit):
                            if record:
                                records.setdefault(kind, {}).setdefault(number, record)
                        break
        return records

    def recorded_tables(self, call):
        """As `shown`, of a recorded call: what its texts cite is looked up in the calls before it."""
        records = tables(call["user"])
        if records and "Notebook" not in call["user"]:
            return records
        player = Player.__new__(Player)
        player.given, player.seen = [], {}
        for known in self.calls:
            if known["n"] <= call["n"] and CITED.search(known["reply"]) and tables(known["user"]):
                player.given.append((known["reply"], player.names(known["user"], known["reply"])))
        return player.shown(call["user"])

    def renumbered(self, call, user):
        old, new = self.recorded_tables(call), self.shown(user)

        def number_of(kind, number):
            record = old.get(kind, {}).get(number)
            if record is None:
                return None
            best = max(((likeness(kind, record, other), -at, at) for at, other in new.get(kind, {}).items()), default=None)
            return best[2] if best and best[0] > 0.5 else None

        numbers_now = {}

        def cite(found):
            groups = []
            for kind, list_ in GROUP.findall(found[1]):
                numbers = []
                for number in re.findall(r"\d+", list_):
                    now = number_of(kind, int(number))
                    numbers_now[kind.lower(), int(number)] = now
                    if now is not None and now not in numbers:
                        numbers.append(now)
                if numbers:
                    groups.append(f"{kind} ({', '.join(map(str, numbers))})")
            return f" [Data: {'; '.join(groups)}]" if groups else ""

        said = CITED.sub(cite, call["reply"])
        # set whole: requests come side by side
        self.numbers_now = numbers_now
        return said

    def similar(self, task, user):
        calls = [call for call in self.calls if call["task"] == task]
        if task in ("extract_graph", "glean_continue", "extract_facts"):
            shown = [flat(block) for block in blocks(user)]
            found = next((call for call in calls if call.get("text") and flat(call["text"]) in shown), None)
            return found["reply"] if found else self.partly(calls, shown)
        if task == "glean_check":
            return "NO"
        if task == "same_entity":
            return self.verdicts(user)
        if task == "community_report":
            names = {line.split(" | ")[0] for line in tables(user).get("Entities", {}).values()}

            def alike(call):
                other = {line.split(" | ")[0] for line in tables(call["user"]).get("Entities", {}).values()}
                return len(names & other) / max(len(names | other), 1)

            best = max(calls, key=alike, default=None)
            return best and self.renumbered(best, user)
        if task == "community_reports":
            return self.reports(user)
        if task == "summarise_descriptions":
            text = "\n".join(blocks(user))
            best = max(calls, key=lambda c: difflib.SequenceMatcher(None, "\n".join(blocks(c["user"]))[:2000], text[:2000]).ratio(), default=None)
            return best and best["reply"]
        asked = QUESTION.findall(user)
        same = [call for call in calls if asked and asked[-1:] == QUESTION.findall(call["user"])[-1:]]
        if task in ("drift_reduce", "global_reduce", "local_answer") and len(same) > 1:
            text = "\n".join(blocks(user))
            same.sort(key=lambda c: -difflib.SequenceMatcher(None, "\n".join(blocks(c["user"]))[:3000], text[:3000]).ratio())
        if not same and task.startswith("reader"):
            same = sorted(calls, key=lambda c: -difflib.SequenceMatcher(None, c["user"][-1500:], user[-1500:]).ratio())
        return self.renumbered(same[0], user) if same else None

    def partly(self, calls, shown):
        """Of the recorded texts that share sentences with a text that was not read as it stands, the one that shares most
        first: the records whose names stand in what it shares that none before it did. Of the first they may stand anywhere
        in the text."""
        text = max(shown, key=len, default="")

        def shared(call):
            sentences = (flat(part) for part in re.split(r"[.。！!？?；\n]", call.get("text") or ""))
            return {part for part in sentences if len(part) > 5 and part in text}

        parts = [(shared(call), call) for call in calls]
        kept, known = [], set()
        while parts:
            parts = [(part - known, call) for part, call in parts]
            part, best = max(parts, key=lambda each: sum(map(len, each[0])))
            if not part:
                break
            first = not known
            of = text if first else "\n".join(part)
            known |= part
            for line in best["reply"].splitlines():
                fields = line.strip("() ").split("<|>")
                names = fields[1:3] if "relationship" in fields[0] else fields[1:2]
                is_record = len(fields) > 1
                if (is_record and line not in kept or first) and all(flat(name) in of for name in names):
                    kept.append(line)
        return "\n".join(kept) if known else None

    def reports(self, user):
        """The reports of several communities, each as it would be given alone."""
        found, written = re.split(r"^# Community (\d+)$", "\n".join(blocks(user)), flags=re.M), []
        for number, part in zip(found[1::2], found[2::2]):
            said = self.similar("community_report", f"{FENCE} x\n{part}\n{FENCE} x")
            try:
                written.append({"community": int(number), **json.loads(said)})
            except (TypeError, ValueError):
                self.unknown.append(("community_reports", part[:200]))
        return json.dumps({"reports": written}, ensure_ascii=False)

    def verdicts(self, user):
        same = [set(group["names"] if isinstance(group, dict) else group) for group in self.keys["same"]]
        said, pair, names = [], 0, {}
        for line in "\n".join(blocks(user)).splitlines():
            if found := re.match(r"Pair (\d+)", line):
                pair, names = int(found[1]), {}
            elif found := re.match(r"\s*(one|other): (.*?)(?: \(|$| \|)", line):
                names[found[1]] = found[2]
                if len(names) == 2:
                    one = any({names["one"], names["other"]} <= group for group in same)
                    said.append({"pair": pair, "same": one, "reason": "key"})
        return json.dumps({"verdicts": said}, ensure_ascii=False)


class Endpoint(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = self.server.player.reply(body)
        # without a usage the program counts, by its own encoding
        if body.get("stream"):
            chunks = [{"choices": [{"index": 0, "delta": {"content": text[at:at + 60]}}]} for at in range(0, len(text), 60)]
            chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
            data = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
            kind = "text/event-stream"
        else:
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
            data, kind = json.dumps({"choices": [choice]}), "application/json"
        data = data.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def serve(folder, sources=None, port=0):
    """Plays a folder's run; the server, whose `player` tells what was asked."""
    server = ThreadingHTTPServer(("127.0.0.1", port), Endpoint)
    server.player = Player(folder, sources)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
