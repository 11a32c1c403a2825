"""An endpoint that speaks the OpenAI API and makes nothing up: chat answers with one sentence (as the JSON that global
search maps, where JSON is asked for), embeddings with numbers that depend on the text alone. Every prompt goes to a file.

    python endpoint.py PORT PROMPTS
"""

import hashlib
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SENTENCE = "graphwright's tables were read [Data: Reports (0)]."
DIMENSION = 64


def embedding(text):
    digest = hashlib.sha512(text.encode()).digest()
    return [byte / 127.5 - 1 for byte in digest[:DIMENSION]]


class Endpoint(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path.endswith("/embeddings"):
            texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
            data = [{"object": "embedding", "index": i, "embedding": embedding(str(t))} for i, t in enumerate(texts)]
            usage = {"prompt_tokens": 1, "total_tokens": 1}
            return self.reply({"object": "list", "model": body["model"], "data": data, "usage": usage})
        with open(sys.argv[2], "a", encoding="utf-8") as prompts:
            prompts.write("\n".join(str(message["content"]) for message in body["messages"]) + "\n")
        text = SENTENCE
        if body.get("response_format") or '"points"' in str(body["messages"]):
            text = json.dumps({"points": [{"description": SENTENCE, "score": 90}]})
        if body.get("stream"):
            return self.stream(body["model"], text)
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        self.reply({**head(body["model"], "chat.completion"), "choices": [choice], "usage": usage})

    def reply(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, model, text):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for delta, reason in [({"role": "assistant", "content": text}, None), ({}, "stop")]:
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            event = json.dumps({**head(model, "chat.completion.chunk"), "choices": [choice]})
            self.wfile.write(f"data: {event}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


def head(model, kind):
    return {"id": "1", "object": kind, "created": 0, "model": model}


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Endpoint).serve_forever()
