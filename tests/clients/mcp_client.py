#!/usr/bin/env python3
"""The Python SDK of the Model Context Protocol uses a server of the sample: every tool, resource and prompt, over stdio and HTTP, in the
revisions with and without a handshake.

    mcp_client.py URL COMMAND...

Fails where the transports or revisions tell different things.
"""
import asyncio
import json
import sys

from mcp import Client, MCPError, StdioServerParameters

# an argument {NAME} is what an earlier reply said
CALLS = [
    ("search", {"query": "Marley"}),
    ("fetch", {"id": "{found}"}),
    ("ask", {"question": "Who is Bob Cratchit?"}),
    ("query_graph", {"question": "Which people are related to Scrooge?"}),
    ("find_entities", {"query": "Scrooge"}),
    ("get_entity", {"name_or_id": "Bob Cratchit"}),
    ("get_neighbourhood", {"name_or_id": "Bob Cratchit"}),
    ("find_path", {"from": "Bob Cratchit", "to": "Jacob Marley"}),
    ("list_communities", {"limit": 3}),
    ("get_community", {"id": "{community}"}),
    ("list_documents", {}),
    ("read_document", {"key_or_id": "{document}", "max_tokens": 100}),
]
WRONG = [("get_entity", {"name_or_id": "nobody of this name"}), ("find_entities", {"wrong": 1}), ("fetch", {"id": "unit:0"})]


async def call(client, name, arguments):
    reply = await client.call_tool(name, arguments)
    assert not reply.is_error, (name, reply.content)
    [block] = reply.content
    assert json.loads(block.text) == reply.structured_content, f"{name}: the text is not the structured reply"
    return reply.structured_content


async def told(server, mode):
    """What a server tells, in the order of being asked."""
    replies = {}
    async with Client(server, mode=mode, read_timeout_seconds=60) as client:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} >= {name for name, _ in CALLS}, [tool.name for tool in tools]
        assert all(tool.output_schema and tool.description for tool in tools)
        writing = {tool.name for tool in tools if not tool.annotations.read_only_hint}
        assert writing == {"add_document", "remove_document", "merge_entities", "undo_edit"}, writing
        replies["tools"] = [tool.name for tool in tools]
        known = {}
        for name, arguments in CALLS:
            arguments = {key: value.format(**known) if isinstance(value, str) else value for key, value in arguments.items()}
            reply = replies[name] = await call(client, name, arguments)
            if name == "search":
                known["found"] = reply["results"][0]["id"]
            if name == "list_documents":
                known["document"] = reply["items"][0]["key"]
            if name == "list_communities":
                known["community"] = reply["items"][0]["id"]
        for name, arguments in WRONG:
            try:
                reply = await client.call_tool(name, arguments)
                assert reply.is_error and reply.content[0].text, (name, arguments)
                replies[f"wrong {name}"] = reply.content[0].text
            except MCPError as error:
                replies[f"wrong {name}"] = str(error)
        resources = (await client.list_resources()).resources
        replies["resources"] = [str(resource.uri) for resource in resources]
        for resource in resources[:3]:
            read = await client.read_resource(resource.uri)
            assert read.contents[0].text, resource.uri
        replies["templates"] = [one.uri_template for one in (await client.list_resource_templates()).resource_templates]
        prompts = (await client.list_prompts()).prompts
        for prompt in prompts:
            given = {argument.name: "Scrooge" for argument in prompt.arguments or []}
            got = await client.get_prompt(prompt.name, given)
            assert got.messages, prompt.name
        replies["prompts"] = [prompt.name for prompt in prompts]
    return replies


def same(value):
    """A reply without what differs by time and place."""
    if isinstance(value, dict):
        return {key: same(one) for key, one in value.items() if key not in ("id", "url", "link", "seconds", "text")}
    return [same(one) for one in value] if isinstance(value, list) else value


async def main():
    url, command = sys.argv[1], sys.argv[2:]
    first = None
    for mode in ("legacy", "auto", "2026-07-28"):
        for where, server in (("HTTP", url), ("stdio", StdioServerParameters(command=command[0], args=command[1:]))):
            replies = same(await told(server, mode))
            first = first or replies
            differing = [key for key in first if first[key] != replies[key]]
            assert not differing, (where, mode, [(first[key], replies[key]) for key in differing])
            print(f"ok      Python SDK, {where}, {mode}: {len(CALLS)} tools, {len(replies['resources'])} resources, {len(replies['prompts'])} prompts")


if __name__ == "__main__":
    asyncio.run(main())
