#!/usr/bin/env python3
"""The scripted endpoint of the benchmark: shared/bench/graphrag/mock_server.py, told what our prompts look like.

  endpoint.py MOCK_SERVER.py --port 8765 [--latency-ms 0] [--max-entities 15] [--glean-entities 4]

The records are the mock's own, so both systems read the same ones; only their form differs where our prompts ask for
another. Beside the mock's addresses:

  GET  /stats   adds `tasks`: calls, input_tokens, output_tokens by task (characters / 4, as the endpoint reports them);
                `delivered_twice`: tasks of requests that got more than one whole reply; `faults` by kind; `spans` by task: when
                the first call came and the last one was answered, in seconds of the run's first call
  POST /config  takes besides latency_ms: faults (0 or 1), late_s (how late a late reply is), usage (0: report no tokens)

A reply is a pure function of the request, so it is computed once and kept: what a second run of the same requests
measures is the system, not this process.

With faults=1, of all calls 20 % are turned away with 429, 5 % get a 500, 5 % are dropped, 5 % get garbage, 1 % are
answered late. Which ones is a function of the request and of how often it was sent, so runs can be repeated.
"""
import argparse, asyncio, contextvars, hashlib, importlib.util, json, re, sys, time
from aiohttp import web

SHARES = [("429", 0.20), ("500", 0.05), ("dropped", 0.05), ("garbage", 0.05), ("late", 0.01)]
KEY = contextvars.ContextVar("request")
STRUCTURED = {"extract_graph", "glean_continue", "community_report", "repair_reply", "repair_report"}


def load(path):
    spec = importlib.util.spec_from_file_location("mock_server", path)
    mock = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(mock)
    return mock


class Tasks:
    """Our tasks in the mock's terms, and what each cost."""

    def __init__(self, mock):
        self.mock, self.counts, self.rows, self.current = mock, {}, {}, None
        theirs = dict(mock.TASKS)
        ours = {
            "extract_graph": lambda p, m: self.records(p, m),
            "glean_continue": lambda p, m: self.records(p, m),
            "repair_reply": lambda p, m: self.records(p, m),
            "glean_check": lambda p, m: "Y",
            "summarise_descriptions": lambda p, m: self.whole(theirs["summarize_descriptions"], p, m),
            "community_report": lambda p, m: self.report(theirs["community_report"], p, m),
            "repair_report": lambda p, m: self.report(theirs["community_report"], p, m),
            "same_entity": lambda p, m: self.verdicts(p),
            "summarise_texts": lambda p, m: f"Summary of {len(p)} characters: " + self.mock.words(self.data(p), 60),
            "extract_facts": lambda p, m: self.facts(self.data(p)),
        }
        for name, task in {**theirs, **ours}.items():
            mock.TASKS[name] = self.counted(name, task)
        fit = mock.fit_schema
        mock.fit_schema = lambda out, form: self.close(fit(out, form))

    def counted(self, name, task):
        def run(prompt, messages):
            out = task(prompt, messages)
            self.current = (name, len(prompt) // 4)
            return out
        return run

    def close(self, out):
        name, prompt_tokens = self.current
        self.count(KEY.get(), name, 0, prompt_tokens, len(out) // 4)
        return out

    def embedded(self, inputs):
        self.count(KEY.get(), "embed", len(inputs), sum(len(str(text)) for text in inputs) // 4, 0)

    def count(self, key, name, texts, input_tokens, output_tokens):
        self.rows[key] = (name, texts, input_tokens, output_tokens)
        row = self.counts.setdefault(name, {"calls": 0, "texts": 0, "input_tokens": 0, "output_tokens": 0})
        row["calls"] += 1
        row["texts"] += texts
        row["input_tokens"] += input_tokens
        row["output_tokens"] += output_tokens

    def count_again(self, key):
        self.count(key, *self.rows[key])

    def records(self, prompt, messages):
        """The mock's records of the text; relationships with a type, as our prompt asks for."""
        users = [m["content"] for m in messages if m["role"] == "user"]
        ours = "That was the text." in users[0]
        if not ours:
            return self.mock.t_extract(prompt, messages)
        text = users[0].rsplit("-Real Data-", 1)[-1].split("Text:\n", 1)[-1]
        text = re.sub(r"\A#+\n", "", text)
        text = re.split(r"\n#{22,}\n", text)[0]
        more = any("Look at the text once more" in user for user in users)
        low, high = (self.mock.A.max_entities, self.mock.A.max_entities + self.mock.A.glean_entities) if more else (0, self.mock.A.max_entities)
        records = []
        for record in self.mock.graph_records(text, low, high):
            parts = record.split("<|>")
            if len(parts) == 5:
                parts.insert(3, "is mentioned with")
            records.append("<|>".join(parts))
        return "\n".join(records + ["<|COMPLETE|>"])

    def whole(self, theirs, prompt, messages):
        return theirs(prompt, messages)

    def report(self, theirs, prompt, messages):
        """Our records as the rows that the mock looks for."""
        data = prompt.rsplit("## Entities", 1)[-1]
        rows = re.findall(r"(?m)^(\d+) \| ([^|\n]+?) \|", data)
        return theirs("\n".join(f"{number},{name.replace(',', ' ')[:60]}," for number, name in rows) if rows else prompt, messages)

    def verdicts(self, prompt):
        pairs = len(re.findall(r"(?m)^Pair \d+$", prompt))
        return json.dumps({"verdicts": [{"pair": n + 1, "same": False, "reason": "two different things by their names"} for n in range(pairs)]})

    def data(self, prompt):
        """What stands between the fences of a prompt."""
        return re.split(r"(?m)^#{3,}.*$|^```.*$", prompt)[-2] if re.search(r"(?m)^#{3,}|^```", prompt) else prompt

    def facts(self, text):
        """A fact a sentence, with its names or its longest word as key elements, in 1,024 tokens (characters / 4)."""
        lines, used = [], 0
        for sentence in self.mock.SENT.split(re.sub(r"\s+", " ", text)):
            words = re.findall(r"\w+", sentence)
            if words:
                elements = self.mock.names_in(sentence)[:4] or [max(words, key=len)]
                line = f"{len(lines) + 1}. {self.mock.clean(sentence, 90)} | " + " | ".join(elements)
                used += len(line)
                if used > 4096:
                    break
                lines.append(line)
        return "\n".join(lines)


class Faults:
    """What goes wrong, by request and try."""

    def __init__(self):
        self.tries, self.delivered, self.counts = {}, {}, {}
        self.on, self.late_s, self.usage = 0, 120.0, 1

    def next(self, key):
        n = self.tries[key] = self.tries.get(key, 0) + 1
        if not self.on:
            return None
        place = int.from_bytes(hashlib.blake2b(f"{key} {n}".encode(), digest_size=6).digest(), "big") / 2**48
        for kind, share in SHARES:
            if place < share:
                self.counts[kind] = self.counts.get(kind, 0) + 1
                return kind
            place -= share
        return None

    def deliver(self, key, task):
        self.delivered[key, task] = self.delivered.get((key, task), 0) + 1

    def twice(self):
        return [task for (_, task), n in self.delivered.items() if n > 1]


class Replies:
    """Replies by request, and when requests came and went."""

    def __init__(self, mock, tasks):
        self.mock, self.tasks, self.kept, self.spans, self.begun = mock, tasks, {}, {}, None

    async def answer(self, request, handler, key, task, stream):
        now = time.monotonic()
        self.begun = self.begun or now
        span = self.spans.setdefault(task, [now, now])
        try:
            return await (self.again(key, task) if key in self.kept else self.first(request, handler, key, stream))
        finally:
            span[1] = time.monotonic()

    async def first(self, request, handler, key, stream):
        response = await handler(request)
        if not stream and isinstance(response, web.Response):
            self.kept[key] = response.body
        return response

    async def again(self, key, task):
        state = self.mock.ST
        state["embed" if task == "embed" else "chat"] += 1
        state["inflight"] += 1
        state["inflight_max"] = max(state["inflight_max"], state["inflight"])
        self.tasks.count_again(key)
        try:
            if self.mock.A.latency_ms:
                await asyncio.sleep(self.mock.A.latency_ms / 1000)
            return web.Response(body=self.kept[key], content_type="application/json")
        finally:
            state["inflight"] -= 1

    def told(self):
        return {task: [round(t - self.begun, 3) for t in span] for task, span in self.spans.items()}

    def reset(self):
        self.spans.clear()
        self.begun = None


def garbage(body, key, task):
    """Half of it no JSON at all; half, where a reply has a form that can be checked, a reply without it."""
    if task in STRUCTURED and int(key[:2], 16) % 2:
        text = "I am afraid that \ufffd\ufffd lorem << ipsum"
        return web.json_response({"choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]})
    return web.Response(text='{"choices": [{"mess\ufffd', content_type="application/json")


def application(mock):
    tasks, faults = Tasks(mock), Faults()
    replies = Replies(mock, tasks)

    @web.middleware
    async def between(request, handler):
        if not request.path.startswith("/v1/") or request.method != "POST":
            return await handler(request)
        raw = await request.read()
        body = json.loads(raw)
        key = hashlib.blake2b(raw, digest_size=12).hexdigest()
        task = "embed" if request.path.endswith("embeddings") else (body.get("metadata") or {}).get("mock_task", "")
        kind = faults.next(key)
        if kind == "429":
            return web.json_response({"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}, status=429, headers={"retry-after": "0.2"})
        if kind == "500":
            return web.Response(status=500, text="<html>internal error</html>")
        if kind == "dropped":
            request.transport.close()
            return web.Response()
        if kind == "garbage":
            return garbage(body, key, task)
        if kind == "late":
            await asyncio.sleep(faults.late_s)
        KEY.set(key)
        if task == "embed" and key not in replies.kept:
            inputs = body["input"]
            tasks.embedded([inputs] if isinstance(inputs, str) else inputs)
        response = await replies.answer(request, handler, key, task, bool(body.get("stream")))
        faults.deliver(key, task)
        if not faults.usage and not body.get("stream") and isinstance(response, web.Response):
            told = json.loads(response.text)
            told.pop("usage", None)
            return web.json_response(told)
        return response

    async def stats(request):
        told = json.loads((await mock.stats(request)).text)
        told["tasks"] = tasks.counts
        told["delivered_twice"] = faults.twice()
        told["requests_seen"] = len(faults.tries)
        told["faults"] = faults.counts
        told["spans"] = replies.told()
        return web.json_response(told)

    async def reset(request):
        tasks.counts.clear()
        replies.reset()
        for table in (faults.tries, faults.delivered, faults.counts):
            table.clear()
        return await mock.do_reset(request)

    async def config(request):
        body = await request.json()
        for name in ("faults", "late_s", "usage"):
            if name in body:
                setattr(faults, "on" if name == "faults" else name, body.pop(name))
        for name, value in body.items():
            setattr(mock.A, name, value)
        return web.json_response(vars(mock.A))

    app = web.Application(client_max_size=64 * 2**20, middlewares=[between])
    app.add_routes([
        web.post("/v1/chat/completions", mock.chat), web.post("/v1/embeddings", mock.embeddings),
        web.get("/v1/models", mock.models), web.get("/stats", stats), web.post("/reset", reset), web.post("/config", config),
    ])
    return app


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mock")
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--latency-ms", type=float, default=0)
    parser.add_argument("--embed-latency-ms", type=float, default=None)
    parser.add_argument("--dim", type=int, default=384)
    parser.add_argument("--max-entities", type=int, default=15)
    parser.add_argument("--glean-entities", type=int, default=4)
    parser.add_argument("--hash-before-complete", action="store_true")
    arguments = parser.parse_args()
    sys.dont_write_bytecode = True
    mock = load(arguments.mock)
    mock.A = arguments
    mock.reset()
    web.run_app(application(mock), host="127.0.0.1", port=arguments.port, access_log=None, print=None)


if __name__ == "__main__":
    main()
