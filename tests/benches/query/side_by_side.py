"""The contexts that local search packs, side by side with microsoft/graphrag's, on one of its indexes.

    side_by_side.py INDEX GRAPHWRIGHT WORK

INDEX is the folder of parquet tables (a Christmas Carol), WORK a folder for ours. Needs graphrag==3.3.0. Both sides get the
same embeddings (hashed words, 384 numbers) and 12,000 tokens, at their defaults; ours is read from the prompt that reaches
the model's endpoint, theirs from its context builder. Tokens are those of o200k_base. Prints two tables.
"""

import collections
import hashlib
import http.server
import json
import math
import pathlib
import re
import subprocess
import sys
import threading
import warnings

warnings.filterwarnings("ignore")
QUESTIONS = [
    "Who is Bob Cratchit?",
    "What is the relationship between Scrooge and Jacob Marley?",
    "Who is Tiny Tim and what happens to him?",
    "What did Marley's ghost warn Scrooge about?",
    "Where did Scrooge go to school?",
    "Who are the three spirits that visit Scrooge?",
    "How does Fred celebrate Christmas?",
    "What did Fezziwig do for his apprentices?",
    "Why did Belle leave Scrooge?",
    "What does Project Gutenberg require of those who copy its books?",
]
LEVELS = [0, 1, 2, 3]


def embedding(text):
    vector = [0.0] * 384
    for word in re.findall(r"\w+", text.lower()):
        digest = hashlib.blake2b(word.encode(), digest_size=4).digest()
        vector[int.from_bytes(digest, "big") % 384] += 1.0
    length = math.sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]


PROMPTS = []


class Endpoint(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        kind = "application/json"
        if self.path.endswith("/embeddings"):
            texts = request["input"] if isinstance(request["input"], list) else [request["input"]]
            data = [{"object": "embedding", "index": i, "embedding": embedding(t)} for i, t in enumerate(texts)]
            reply = json.dumps({"object": "list", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}})
        else:
            PROMPTS.append("\n".join(message["content"] for message in request["messages"]))
            text = '{"points": [{"description": "A point [Data: Reports (1)].", "score": 50}]}'
            if request.get("stream"):
                kind = "text/event-stream"
                piece = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": "stop"}]}
                reply = f"data: {json.dumps(piece)}\n\ndata: [DONE]\n\n"
            else:
                choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
                reply = json.dumps({"choices": [choice], "usage": {"prompt_tokens": 1, "completion_tokens": 1}})
        body = reply.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def repeated(texts):
    """Share of runs of ten words that stand in the context more than once."""
    runs = collections.Counter()
    for text in texts:
        words = text.split()
        runs.update(tuple(words[i : i + 10]) for i in range(len(words) - 9))
    total = sum(runs.values())
    return sum(count - 1 for count in runs.values()) / total if total else 0.0


def sections(prompt):
    """Our context by kind: a record a line, a source until the next number."""
    found = {}
    for part in re.split(r"^## ", prompt, flags=re.M)[1:]:
        name, _, body = part.partition("\n")
        body = re.split(r"^#{12,}$", body, flags=re.M)[0]
        found[name.strip()] = [text for text in re.split(r"^\[\d+\] ", body, flags=re.M) if text.strip()]
    return found


class Ours:
    def __init__(self, program, index, work, port):
        work.mkdir(parents=True, exist_ok=True)
        config = work / "graphwright.toml"
        url = f'base_url = "http://127.0.0.1:{port}/v1"\napi_key = "none"\nmodel = "fixed"\nprovider = "openai"\n'
        config.write_text(f"[llm]\n{url}cache = false\n[embeddings]\n{url}dimension = 384\n")
        self.command = [program, "--quiet", "--json", "--config", str(config), "--data", str(work / "data")]
        if not (work / "data").exists():
            subprocess.run([*self.command, "import", "--from", "graphrag", index], check=True, stdout=subprocess.DEVNULL)

    def ask(self, *arguments):
        PROMPTS.clear()
        done = subprocess.run([*self.command, "query", *arguments], check=True, capture_output=True, text=True)
        return json.loads(done.stdout), list(PROMPTS)


class Theirs:
    def __init__(self, index):
        import pandas as pd
        from graphrag.query import indexer_adapters as read
        from graphrag.query.structured_search.local_search.mixed_context import LocalSearchMixedContext

        table = {p.stem: pd.read_parquet(p) for p in pathlib.Path(index).glob("*.parquet")}
        communities, reports = table["communities"], table["community_reports"]
        entities = read.read_indexer_entities(table["entities"], communities, 2)
        vectors = [(e.id, embedding(f"{e.title}:{e.description}")) for e in entities]

        class Document:
            def __init__(self, id):
                self.id = id

        class Result:
            def __init__(self, id, score):
                self.document, self.score = Document(id), score

        class Store:
            def similarity_search_by_text(self, text, text_embedder, k):
                query = embedding(text)
                scored = [(sum(a * b for a, b in zip(query, v)), id) for id, v in vectors]
                return [Result(id, score) for score, id in sorted(scored, key=lambda pair: -pair[0])[:k]]

        self.builder = LocalSearchMixedContext(
            entities=entities,
            entity_text_embeddings=Store(),
            text_embedder=None,
            text_units=read.read_indexer_text_units(table["text_units"]),
            community_reports=read.read_indexer_reports(reports, communities, 2),
            relationships=read.read_indexer_relationships(table["relationships"]),
            covariates={"claims": read.read_indexer_covariates(table["covariates"])},
            tokenizer=Tokens(),
        )

    def ask(self, question):
        return self.builder.build_context(
            query=question,
            max_context_tokens=12_000,
            text_unit_prop=0.5,
            community_prop=0.15,
            top_k_mapped_entities=10,
            top_k_relationships=10,
            include_entity_rank=True,
            include_relationship_weight=True,
        )


class Tokens:
    def __init__(self):
        import tiktoken

        self.encoding = tiktoken.get_encoding("o200k_base")

    def encode(self, text):
        return self.encoding.encode(text, disallowed_special=())

    def decode(self, tokens):
        return self.encoding.decode(tokens)

    def num_tokens(self, text):
        return len(self.encode(text))


def main(index, program, work):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    ours, theirs, tokens = Ours(program, index, pathlib.Path(work), server.server_port), Theirs(index), Tokens()
    print("| question | | tokens of 12,000 | entities | relationships | claims | reports | sources | repeated words in sources |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    sums = {"ours": collections.Counter(), "theirs": collections.Counter()}

    def row(question, who, used, counts, share):
        sums[who].update({"tokens": used, "repeated": share, **counts})
        cells = [counts.get(kind, 0) for kind in ("entities", "relationships", "claims", "reports", "sources")]
        print("|", question, "|", who, "|", used, "|", " | ".join(map(str, cells)), "|", f"{share:.1%} |")

    for question in QUESTIONS:
        answer, prompts = ours.ask(question)
        found = sections(prompts[-1])
        counts = {name.lower(): len(texts) for name, texts in found.items()}
        used = sum(tokens.num_tokens(text) for texts in found.values() for text in texts)
        row(question, "ours", used, counts, repeated(found.get("Sources", [])))
        result = theirs.ask(question)
        records = result.context_records
        counts = {name.lower(): len(frame) for name, frame in records.items()}
        texts = list(records["sources"]["text"]) if "sources" in records else []
        row("", "theirs", tokens.num_tokens(str(result.context_chunks)), counts, repeated(texts))
    for who, sum_of in sums.items():
        count = len(QUESTIONS)
        cells = [f"{sum_of[kind] / count:.1f}" for kind in ("entities", "relationships", "claims", "reports", "sources")]
        print(f"| mean | {who} | {sum_of['tokens'] / count:.0f} |", " | ".join(cells), f"| {sum_of['repeated'] / count:.1%} |")

    print("\n| global search at level | calls | tokens of reports read | reports |")
    print("| --- | --- | --- | --- |")
    for level in LEVELS:
        answer, _ = ours.ask("What are the main themes of the story?", "--method", "global", "--level", str(level))
        print("|", level, "|", answer["calls"], "|", answer["tokens"]["context"], "|", len(answer["reports"]), "|")


main(*sys.argv[1:4])
