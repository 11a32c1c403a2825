#!/usr/bin/env python3
"""OpenAI's own Python SDK, and what chat front ends read, on a server of the sample.

    openai_client.py ADDRESS RECORDED

ADDRESS is the server's, without a path. RECORDED holds the bodies that Open WebUI sends. The SDK lists models, asks whole and streamed and is
refused; then streams are read by the rules of Open WebUI (a source for each `url_citation` of a delta and for each `event`
of type source; the n-th source is the mark [n] of the text) and of LibreChat (the text alone, which then must hold the links). Every source must lead
to the very sentence in its document.
"""
import json
import re
import sys
import urllib.parse
import urllib.request

from openai import BadRequestError, NotFoundError, OpenAI

QUESTION = "Who is Bob Cratchit?"


def get(address):
    with urllib.request.urlopen(address, timeout=60) as reply:
        return json.load(reply)


def post(address, body):
    request = urllib.request.Request(address, json.dumps(body).encode(), {"Content-Type": "application/json"})
    return urllib.request.urlopen(request, timeout=60)


def marked(address, link):
    """The characters that a link to the page marks."""
    [(workspace, document, question)] = re.findall(r"#/w/([^/]+)/d/([^?]+)\?(.+)$", link)
    # the page finds the sentence by its mark where the document has changed; the characters are asked for without it
    question = "&".join(part for part in question.split("&") if not part.startswith("mark="))
    piece = get(f"{address}/api/v1/workspaces/{workspace}/documents/{document}/text?{question}")
    return " ".join(piece["text"].split())


def marks(text):
    """Numbers in brackets, in the order of their first use."""
    return list(dict.fromkeys(int(number) for number in re.findall(r"\[(\d+)\]", text)))


def sdk(address):
    client = OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0)
    models = [model.id for model in client.models.list()]
    assert "graphwright" in models and "graphwright/local" in models, models
    ask = {"model": "graphwright", "messages": [{"role": "user", "content": QUESTION}]}
    whole = client.chat.completions.create(**ask)
    message = whole.choices[0].message
    assert whole.choices[0].finish_reason == "stop" and whole.usage.total_tokens >= 0
    for citation in (annotation.url_citation for annotation in message.annotations):
        place = message.content[citation.start_index:citation.end_index]
        assert re.fullmatch(r"\[\d+\]", place), place
        assert citation.title and marked(address, citation.url)
    text, annotations, usage = "", [], None
    for chunk in client.chat.completions.create(**ask, stream=True, stream_options={"include_usage": True}):
        usage = chunk.usage or usage
        for choice in chunk.choices:
            text += choice.delta.content or ""
            annotations += (choice.delta.model_extra or {}).get("annotations", [])
    assert text == message.content and usage
    assert annotations == [annotation.model_dump() for annotation in message.annotations]
    for error, change in ((NotFoundError, {"model": "gpt-4o"}), (BadRequestError, {"messages": []})):
        try:
            client.chat.completions.create(**(ask | change))
            raise AssertionError(f"{change} was not refused")
        except error as refused:
            assert refused.body["message"], refused
    print(f"ok      OpenAI's Python SDK: {len(models)} models, whole and streamed, {len(annotations)} annotations, errors")


def lines(reply):
    for line in reply:
        if line.startswith(b"data: ") and line.strip() != b"data: [DONE]":
            yield json.loads(line[6:])


def open_webui(address, body, name):
    """Text, and sources as chips: address and passages of each, in order."""
    text, sources = "", {}
    with post(f"{address}/v1/chat/completions", body) as reply:
        for chunk in lines(reply):
            event = chunk.get("event")
            if event:
                assert event["type"] == "source" and "choices" not in chunk
                sources.setdefault(event["data"]["metadata"][0]["source"], []).extend(event["data"]["document"])
            for choice in chunk.get("choices", [])[:1]:
                text += choice["delta"].get("content") or ""
                for annotation in choice["delta"].get("annotations", []):
                    cited = annotation["url_citation"]
                    sources.setdefault(cited["url"], []).append(cited["title"])
    assert marks(text) == list(range(1, len(sources) + 1)), (marks(text), list(sources))
    for link, passages in sources.items():
        sentence = marked(address, link)
        if body.get("graphwright", {}).get("source_events"):
            assert any(" ".join(passage.split()) == sentence for passage in passages), (sentence, passages)
    print(f"ok      Open WebUI's reading, {name}: {len(sources)} sources, each at its sentence")


def libre_chat(address, body):
    text = "".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in lines(post(f"{address}/v1/chat/completions", body)) if chunk["choices"])
    body_text, _, listed = text.partition("**Sources**")
    links = re.findall(r"^- \[(\d+)\] \[.+\]\((\S+)\)", listed, re.MULTILINE)
    assert [int(number) for number, _ in links] == sorted(marks(body_text)), text
    for _, link in links:
        assert marked(address, link)
    print(f"ok      LibreChat's reading: {len(links)} links in the text")


def main():
    address, recorded = sys.argv[1].rstrip("/"), json.load(open(sys.argv[2], encoding="utf-8"))
    sdk(address)
    open_webui(address, recorded["question"], "as recorded")
    open_webui(address, recorded["question"] | {"graphwright": {"source_events": True}}, "with passages")
    for name, body in recorded["tasks"].items():
        try:
            post(f"{address}/v1/chat/completions", body)
            raise AssertionError(f"the task {name} was answered")
        except urllib.error.HTTPError as refused:
            assert refused.code == 400 and json.load(refused)["error"]["message"], name
    print(f"ok      Open WebUI's tasks are refused: {', '.join(recorded['tasks'])}")
    libre_chat(address, {"model": "graphwright", "stream": True, "messages": [{"role": "user", "content": QUESTION}], "graphwright": {"sources": "text"}})


if __name__ == "__main__":
    main()
