"""An endpoint that gives back, as its extraction of a document, the records that the document holds, and says of every
pair of names that they differ. Prints nothing; writes the pairs it was asked about to PAIRS, one JSON line each."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FENCE = "############"


def data(text):
    lines, inside = [], False
    for line in text.splitlines():
        if line.startswith(FENCE):
            if inside:
                break
            inside = True
        elif inside:
            lines.append(line)
    return "\n".join(lines)


def verdicts(block, pairs):
    said, names = [], {}
    for line in block.splitlines():
        if line.startswith("Pair "):
            names = {"pair": int(line[5:])}
        else:
            side, _, shown = line.strip().partition(": ")
            names[side] = shown
            if side == "other":
                pairs.write(json.dumps(names, ensure_ascii=False) + "\n")
                pairs.flush()
                said.append({"pair": names["pair"], "same": False, "reason": "not judged"})
    return json.dumps({"verdicts": said})


class Endpoint(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        task = body["metadata"]["task"]
        block = data(body["messages"][-1]["content"])
        if task == "extract_graph":
            text = block + "\n<|COMPLETE|>"
        elif task == "same_entity":
            text = verdicts(block, self.server.pairs)
        elif task == "community_report":
            text = json.dumps({"title": "t", "summary": "s", "rating": 1, "rating_explanation": "", "findings": []})
        else:
            text = "no"
        message = {"role": "assistant", "content": text}
        reply = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Endpoint)
server.pairs = open(sys.argv[2], "w", encoding="utf-8")
server.serve_forever()
