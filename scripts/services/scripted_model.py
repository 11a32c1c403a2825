"""A model for scripts: speaks the OpenAI API, its replies are a function of what is asked.

Writes a line to --log for every call that it answered: the task, and a hash of what was asked; with --timed also the second
in which it was asked, and its tokens, prompt and reply.
"""

import argparse
import hashlib
import http.server
import json
import re
import threading
import time

NAME = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b")


def extraction(asked):
    text = asked.rsplit("-Real Data-", 1)[-1].split("That was the text", 1)[0]
    names = list(dict.fromkeys(NAME.findall(text)))[:12]
    lines = [f"entity<|>{name}<|>Person<|>{name} stands in a text of {len(text)} letters" for name in names]
    lines += [
        f"relationship<|>{one}<|>{other}<|>knows<|>{one} stands beside {other}<|>5"
        for one, other in zip(names, names[1:])
    ]
    return "\n".join([*lines, "<|COMPLETE|>"])


def report(asked):
    findings = [{"summary": "They meet", "explanation": "They do [Data: Relationships (1)]."}]
    return json.dumps(
        {
            "title": f"Of {len(asked)} letters",
            "summary": "People and where they stand.",
            "rating": 5.0,
            "rating_explanation": "They matter.",
            "findings": findings,
        }
    )


def reply(task, asked):
    if task == "extract_graph":
        return extraction(asked)
    if task == "community_report":
        return report(asked)
    if task == "glean_continue":
        return "<|COMPLETE|>"
    if task == "glean_check":
        return "no"
    return f"In {len(asked)} letters."


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        request = json.loads(body)
        task = request["metadata"]["task"]
        asked = "\n".join(message["content"] for message in request["messages"])
        asked_at = time.time()
        time.sleep(self.server.delay_s)
        message = {"role": "assistant", "content": reply(task, asked)}
        answer = json.dumps(
            {
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": len(asked) // 4, "completion_tokens": 50},
            }
        ).encode()
        # what is answered is paid for, whoever is left to read it
        with self.server.lock, open(self.server.log, "a", encoding="utf-8") as log:
            timed = f" {asked_at:.3f} {len(asked) // 4 + 50}" if self.server.timed else ""
            log.write(f"{task} {hashlib.sha256(body).hexdigest()}{timed}\n")
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--port", type=int, required=True)
    arguments.add_argument("--log", required=True)
    arguments.add_argument("--delay-ms", type=float, default=0)
    arguments.add_argument("--timed", action="store_true")
    arguments = arguments.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", arguments.port), Handler)
    server.handle_error = lambda *_: None  # callers are killed
    server.daemon_threads = True
    server.timed = arguments.timed
    server.log, server.lock, server.delay_s = arguments.log, threading.Lock(), arguments.delay_ms / 1000
    server.serve_forever()


if __name__ == "__main__":
    main()
