"""A careful reader in the place of a model: what they would say to a question, by hand, and a rule for when they would.

`readers/CORPUS.json` holds for each question the statements of a full answer (`t`), where the text carries each (`at`), and
the words by which a record that is not the text itself tells it (`w`); in another language than the records also how these would say it (`o`). A prompt is answered with the statements that the
records in it carry, each with its citations; what they do not carry is not said. So an answer shows what a search found and
how its citations lead on, not how well a model writes."""

import hashlib
import json
import os
import re
import time
from pathlib import Path

from played import CITED, FENCE, Player, blocks, flat, tables, tokens

# kinds of records, the one to cite before the others first
KINDS = ["Sources", "Claims", "Relationships", "Entities", "Reports"]
CHUNK = re.compile(r"^(C\d+):?$")
NAMES = re.compile(r"[A-Z][\w’'&-]*(?:(?: (?:of|and|for|the))? [A-Z0-9][\w’'&-]*)*")


def report_of(part):
    """What the tables of a community say, claims first, each with its citation."""
    rows = {kind: [line.split(" | ") for line in text.splitlines() if re.match(r"\d+ \| ", line)]
            for kind, text in re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", part, flags=re.M | re.S)}
    entities = rows.get("Entities", [])
    told = [(row[1].split(" ## ")[0], " ".join(row[1].split(" ## ")), f"Reports ({row[0]})") for row in rows.get("Reports", [])]
    told += [(row[6], row[6], f"Claims ({row[0]})") for row in rows.get("Claims", []) if len(row) > 6]
    grouped = {}
    for row in rows.get("Relationships", []):
        if len(row) > 4 and row[4].strip():
            grouped.setdefault((row[2], row[3]), []).append(row)
    for (target, kind), some in grouped.items():
        said = " ".join(row[4] for row in some[:5])
        named = ", ".join(row[1] for row in some[:8])
        told.append((f"{named} – {kind} – {target}.", said, f"Relationships ({', '.join(row[0] for row in some[:5])})"))
    told += [(f"{row[1]}.", row[3], f"Entities ({row[0]})") for row in entities[:6] if len(row) > 3 and "see report" not in row[3]]
    findings = [{"summary": summary[:200], "explanation": f"{said.rstrip('.')} [Data: {cited}]."} for summary, said, cited in told[:12]]
    names = [row[1] for row in entities[:3]]
    return {"title": ", ".join(names) or "Reports", "summary": " ".join(said for _, said, _ in told[:3])[:600],
            "rating": min(9.0, 3.0 + 0.3 * len(told)), "rating_explanation": "By how much is told of it.", "findings": findings}


class Reader(Player):
    """`hand` is what stands in `readers/`; `questions` are those of the keys, with `at` as places in `documents`; `folder` keeps replies written by hand."""

    def __init__(self, hand, questions, documents, recorded, folder):
        super().__init__(recorded)
        self.folder = Path(folder)
        (self.folder / "asked").mkdir(parents=True, exist_ok=True)
        (self.folder / "replies").mkdir(parents=True, exist_ok=True)
        self.questions = {}
        for question, read in zip(questions, hand):
            for said in read["say"]:
                said["places"] = [question["at"][at] for at in said["at"]]
                for part in said.get("parts", []):
                    places = [question["at"][at] for at in part[2]] if len(part) > 2 else said["places"]
                    part[2:] = [places]
            self.questions[flat(question["question"])] = read
        self.texts, self.records, self.composes = dict(documents), {}, False

    def records_of(self, path):
        """Takes what is written down of passages from a file."""
        for part in Path(path).read_text(encoding="utf-8").split("\n## ")[1:]:
            title, *lines = part.strip().splitlines()
            self.records[title.strip()] = lines

    # -- what a record carries --

    def holds(self, record, places):
        record = flat(record)
        return any(flat(self.texts[d][a:b]) in record for d, a, b in places)

    def carriers(self, records, words, places):
        """[(kind, number)] of the records that carry a statement, the first to cite first."""
        found = []
        for kind in KINDS:
            for number, text in sorted(records.get(kind, {}).items()):
                if kind == "Sources" and self.holds(text, places):
                    found.append((kind, number))
                elif (kind != "Sources" or self.told(text)) and words and all(re.search(w, text, re.S) for w in words):
                    found.append((kind, number))
        return found

    def told(self, text):
        """Whether a source is somebody's summary, and not the text."""
        letters = flat(text)
        middle = letters[len(letters) // 2:][:24]
        return not any(middle in flat(whole) for whole in self.texts.values())

    def said(self, statement, records, chinese):
        """(the statement as the records carry it, its carriers), or nothing."""
        if "parts" not in statement:
            carriers = self.carriers(records, statement["w"], statement["places"])
            return (statement["t"], carriers) if carriers else None
        named, carriers = [], []
        for label, word, places in statement["parts"]:
            found = self.carriers(records, [word, *statement["w"]], places)
            if found:
                named.append(label)
                carriers += [one for one in found[:1] if one not in carriers]
        if not named:
            return None
        listed = "、".join(named) if chinese else ", ".join(named[:-1]) + (" and " if len(named) > 1 else "") + named[-1]
        return statement["t"].replace("{}", listed), carriers

    @staticmethod
    def cited(carriers):
        """At most two records of the two best kinds, in the form that prompts ask for."""
        kinds = {}
        for kind, number in carriers:
            kinds.setdefault(kind, []).append(number)
        shown = [(kind, kinds[kind]) for kind in KINDS if kind in kinds][:1]
        return " [Data: " + "; ".join(f"{kind} ({', '.join(map(str, n[:3]))})" for kind, n in shown) + "]"

    # -- what is asked --

    def question_of(self, user):
        key = flat(user)
        found = [(len(q), read) for q, read in self.questions.items() if q in key]
        return max(found, key=lambda one: one[0])[1] if found else None

    def statements(self, read, records, chinese):
        """[(statement, words, carriers)] that the records carry."""
        found = ((s, self.said(s, records, chinese)) for s in read["say"])
        return [(s, *said) for s, said in found if said]

    def answer(self, read, records, chinese):
        found = self.statements(read, records, chinese)
        if not found:
            return read.get("none") or ("所给资料没有回答这个问题。" if chinese else "The records that are shown do not answer this.")
        return "\n\n".join(self.sentence(text, carriers) for _, text, carriers in found)

    def sentence(self, text, carriers):
        return f"{text[:-1]}{self.cited(carriers)}{text[-1]}"

    def merged(self, read, text):
        """The statements that answers to parts of the question made, with all their citations, as far as they are different
        ones: of a list the longest."""
        lines, last = [], 0
        pieces = []
        for found in CITED.finditer(text):
            before = text[last:found.start()]
            line = re.sub(r"^Helpfulness \d+: ", "", before.split("\n")[-1].strip())
            pieces.append((line.strip("\"'"), found[1]))
            last = found.end()
        for statement in read["say"]:
            shape = [flat(part) for part in statement["t"].rstrip(".。").split("{}")]
            fits = [(before, cites) for before, cites in pieces if all(part in flat(before) for part in shape)]
            if not fits:
                continue
            longest = max((before for before, _ in fits), key=len)
            start = max(longest.find(statement["t"][:4]), 0)
            numbers = {}
            for _, cites in fits:
                for kind, list_ in re.findall(r"(\w+) \(([^)]*)\)", cites):
                    for number in re.findall(r"\d+", list_):
                        if number not in numbers.setdefault(kind, []):
                            numbers[kind].append(number)
            cites = "; ".join(f"{kind} ({', '.join(n[:5])})" for kind, n in numbers.items())
            lines.append(f"{longest[start:]} [Data: {cites}]{statement['t'][-1]}")
        return "\n\n".join(lines)

    def restated(self, user):
        """The statements of an answer in the language of the records (`o`), as they are written down."""
        lines, known = [], [said for read in self.questions.values() for said in read["say"] if "o" in said]
        for number, line in re.findall(r"^(\d+)\. (.*)$", blocks(user)[-1], flags=re.M):
            shapes = ((said, said["t"].rstrip(".。").split("{}")) for said in known)
            for said in (said for said, shape in shapes if all(flat(part) in flat(line) for part in shape)):
                listed = "、".join(o for label, o in said.get("os", {}).items() if flat(label) in flat(line))
                lines.append(f"{number}. {said['o'].replace('{}', listed)}")
        return "\n".join(lines)

    def similar(self, task, user):
        read = self.question_of(user)
        chinese = bool(re.search("[\u4e00-\u9fff]", read["say"][0]["t"])) if read else False
        records = tables(user)
        if read is None and task.split("_")[0] in ("local", "basic", "global", "source", "drift", "rate", "reader"):
            (self.folder / "asked" / f"unknown-{task}").write_text(user, encoding="utf-8")
            return "{}"
        if task in ("local_answer", "basic_answer"):
            return self.answer(read, records, chinese)
        if task in ("global_map", "source_map"):
            points = [{"description": self.sentence(text, carriers), "score": 80}
                      for _, text, carriers in self.statements(read, records, chinese)]
            return json.dumps({"points": points}, ensure_ascii=False)
        if task in ("global_reduce", "drift_reduce"):
            return self.merged(read, user) or read.get("none") or "Nothing that was found answers this."
        if task == "rate_reports":
            found = re.split(r"^(?:# )?Report (\d+)", "\n".join(blocks(user)), flags=re.M)
            rate = lambda text: 4 if self.statements(read, {"Reports": {1: text}}, chinese) else 1
            return json.dumps({"ratings": [{"report": int(n), "rating": rate(t)} for n, t in zip(found[1::2], found[2::2])]})
        if task == "drift_hypothetical":
            return f"# {read['plan']}\n\n" + " ".join(s["ask"] for s in read["say"])
        if task == "drift_primer":
            found = self.statements(read, records, chinese)
            have = [id(s) for s, _, _ in found]
            asks = [s["ask"] for s in read["say"] if id(s) not in have] + [s["ask"] for s in read["say"] if id(s) in have]
            return json.dumps({"intermediate_answer": self.answer(read, records, chinese),
                               "score": round(100 * len(found) / len(read["say"])), "follow_up_queries": asks[:5]}, ensure_ascii=False)
        if task == "drift_local":
            found = self.statements(read, records, chinese)
            return json.dumps({"response": self.answer(read, records, chinese), "score": 80 if found else 0,
                               "follow_up_queries": []}, ensure_ascii=False)
        if task.startswith("reader"):
            return self.walked(task, user, read, chinese)
        if task == "extract_facts" and not self.calls:
            return self.facts(user)
        if task == "extract_facts":
            return super().similar(task, user) or self.facts(user)
        if task == "extract_graph" and self.records:
            return self.extracted(user)
        if task == "glean_continue" and self.records:
            return "<|COMPLETE|>"
        if task in ("extract_graph", "glean_continue", "same_entity", "summarise_descriptions") and self.calls:
            known = super().similar(task, user)
            if known:
                return known
        return self.by_hand(task, user)

    def extracted(self, user):
        """The records written down of the passage whose title the text begins with."""
        text = max(blocks(user), key=len)
        title = text.strip().splitlines()[0].lstrip("# ").strip()
        lines = self.records[min((t for t in self.records if title.startswith(t)), key=lambda t: abs(len(t) - len(title)))]
        said = []
        for line in lines:
            fields = [field.strip() for field in line.split(" | ")]
            if " > " in fields[0]:
                source, target = fields[0].split(" > ")
                said.append("<|>".join(['("relationship"', source, target, *fields[1:]]) + ")")
            else:
                said.append("<|>".join(['("entity"', *fields, *([] if len(fields) > 3 else ["NONE"])]) + ")")
        return "\n".join([*said, "<|COMPLETE|>"])

    def facts(self, user):
        """A sentence a fact; its key elements are the names that it holds."""
        text = max(blocks(user), key=len)
        lines = []
        for sentence in re.split(r"(?<=[.!?])\s+|\n+", text):
            names = [name for name in NAMES.findall(sentence) if len(name) > 2]
            if names and len(sentence) > 20:
                lines.append(f"{len(lines) + 1}. {sentence.replace('|', ' ')} | " + " | ".join(dict.fromkeys(names)))
        return "\n".join(lines)

    def composed(self, task, user):
        """A report of what the tables say, or the sentences of texts that say most, in the place of one by hand."""
        if task == "community_report":
            return json.dumps(report_of("\n".join(blocks(user))), ensure_ascii=False)
        if task == "community_reports":
            found = re.split(r"^# Community (\d+)$", "\n".join(blocks(user)), flags=re.M)
            reports = [{"community": int(n), **report_of(part)} for n, part in zip(found[1::2], found[2::2])]
            return json.dumps({"reports": reports}, ensure_ascii=False)
        if task in ("summarise_texts", "summarise_descriptions"):
            sentences = list(dict.fromkeys(re.split(r"(?<=[.!?])\s+|\n+", blocks(user)[-1])))
            weight = lambda s: (len(re.findall(r"\d+|\b[A-Z]", s)) + 0.1) / (len(s.split()) + 8) ** 0.5
            kept, words = [], 0
            for sentence in sorted(sentences, key=weight, reverse=True):
                words += len(sentence.split())
                if words > 100:
                    break
                kept.append(sentence)
            return " ".join(sentence for sentence in sentences if sentence in kept) or sentences[0]
        return None

    def by_hand(self, task, user):
        """Waits for the reply to be written, under a name made of what is asked; where most are composed, composes it."""
        if self.composes and (reply := self.composed(task, user)):
            return reply
        name = f"{task}-{hashlib.sha256(flat(user).encode()).hexdigest()[:10]}"
        reply = self.folder / "replies" / name
        if not reply.exists():
            (self.folder / "asked" / name).write_text(user, encoding="utf-8")
        while not reply.exists():
            time.sleep(0.3)
        return reply.read_text(encoding="utf-8")

    # -- the walk over facts --

    def walked(self, task, user, read, chinese):
        if task == "reader_plan":
            return read["plan"]
        wanted = read["plan"] + " ".join(s["ask"] for s in read["say"]) + user.split("Question:")[-1].split("Plan:")[0]
        shown = blocks(user)
        if task == "reader_nodes":
            elements = [line.strip() for line in shown[0].splitlines() if line.strip()]
            ranked = sorted(((self.fit(e, wanted), -at, e) for at, e in enumerate(elements)), reverse=True)
            return "\n".join(f"Node: {e}, Score: {max(5, round(100 * min(fit, 1)))}" for fit, _, e in ranked[:12])
        notebook = next((b for b in shown if CITED.search(b)), "")
        if task == "reader_facts":
            chunks, chunk = {}, None
            for line in shown[-1].splitlines():
                if found := CHUNK.match(line.strip()):
                    chunk = found[1]
                elif chunk:
                    chunks[chunk] = chunks.get(chunk, "") + line + "\n"
            ranked = sorted(chunks, key=lambda c: -self.hits(read, chunks[c], wanted))
            worth = [c for c in ranked if self.hits(read, chunks[c], wanted) > 0][:2]
            action = ("read_chunk", worth) if worth else ("stop_and_read_neighbor", [])
            return json.dumps({"notebook": notebook, "rationale": "-", "action": action[0], "arguments": action[1]}, ensure_ascii=False)
        if task == "reader_chunk":
            found = self.answer(read, tables(user), chinese) if self.statements(read, tables(user), chinese) else ""
            book = self.merged(read, "\n".join([notebook, found])) or notebook
            done = all(flat(s["t"].split("{}")[-1]) in flat(book) for s in read["say"])
            return json.dumps({"notebook": book, "rationale": "-", "action": "termination" if done else "search_more",
                               "arguments": []}, ensure_ascii=False)
        if task == "reader_neighbours":
            elements = [line.strip() for line in shown[-1].splitlines() if line.strip()]
            best = max(elements, key=lambda e: self.fit(e, wanted), default=None)
            if best and self.fit(best, wanted) > 0.5:
                return json.dumps({"rationale": "-", "action": "read_neighbor_node", "arguments": [best]}, ensure_ascii=False)
            return json.dumps({"rationale": "-", "action": "termination", "arguments": []})
        if task == "reader_answer":
            merged = self.merged(read, user) or read.get("none") or "The notebooks do not hold the answer."
            return f"Analyze: the notebooks are brought together.\nFinal answer: {merged}"
        return "{}"

    @staticmethod
    def pieces(text):
        han = re.findall("[\u4e00-\u9fff]", text)
        return {w.lower() for w in re.findall(r"[A-Za-z0-9]{3,}", text)} | {a + b for a, b in zip(han, han[1:])}

    def fit(self, element, wanted):
        """How much of a key element what is wanted names."""
        of = self.pieces(element) or {element}
        return len([piece for piece in of if piece in wanted.lower()]) / len(of) + 0.001 * len(of)

    def hits(self, read, facts, wanted):
        """Whether facts of a chunk may bear on the question: words of a statement, or several of the question's."""
        told = sum(all(re.search(w, facts) for w in s["w"]) for s in read["say"] if s["w"])
        return told * 10 + len(self.pieces(facts) & self.pieces(wanted)) - 1
