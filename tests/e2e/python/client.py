"""The official Python client through its own OAuth flow, driven by a test.

    python client.py URL auto|legacy BROWSER...   <steps.json

The first authorization opens the first BROWSER, the second one the second, and so on. A step is
{"call": TOOL, "arguments": {...}}, or {"expire": true}: the client then takes its access token for
expired. Prints one JSON object: the negotiated protocol version, the names of the tools, the
results of the calls, and after each step how often the person was asked, the granted scope and the
tokens.
"""

import asyncio
import json
import sys
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

# Seconds that a person may take.
PATIENCE = 30


class Memory:
    """Keeps what the client wants kept, as long as the program runs."""

    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Person:
    """Opens browsers, and waits at a loopback address for each to come back."""

    def __init__(self, browsers):
        self.browsers = browsers
        self.asked = 0
        self.answers = asyncio.Queue()

    async def listen(self):
        server = await asyncio.start_server(self.answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        return f"http://localhost:{port}/callback"

    async def answer(self, reader, writer):
        target = (await reader.readline()).decode().split(" ")[1]
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nDone.")
        await writer.drain()
        writer.close()
        self.answers.put_nowait(parse_qs(urlsplit(target).query))

    async def open(self, url):
        browser = self.browsers[self.asked]
        self.asked += 1
        await asyncio.create_subprocess_exec(browser, url)

    async def wait(self):
        answer = await asyncio.wait_for(self.answers.get(), PATIENCE)
        if "error" in answer:
            raise RuntimeError(f"came back with {answer['error'][0]}")
        first = {name: values[0] for name, values in answer.items()}
        return AuthorizationCodeResult(
            code=first["code"], state=first.get("state"), iss=first.get("iss")
        )


async def take(step, client, provider):
    """Takes a step; what a tool answered, if one was called."""
    if "expire" in step:
        provider.context.token_expiry_time = 1
        return None
    result = await client.call_tool(step["call"], step["arguments"])
    return {
        "isError": bool(result.is_error),
        "texts": [block.text for block in result.content],
    }


async def main(url, mode, browsers, steps):
    person, memory = Person(browsers), Memory()
    metadata = OAuthClientMetadata(
        client_name="Python client",
        redirect_uris=[await person.listen()],
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
        token_endpoint_auth_method="none",
    )
    provider = OAuthClientProvider(url, metadata, memory, person.open, person.wait)
    results = []
    async with httpx2.AsyncClient(auth=provider, timeout=PATIENCE) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            version = client.protocol_version
            tools = [tool.name for tool in (await client.list_tools()).tools]
            for step in steps:
                result = await take(step, client, provider)
                tokens = memory.tokens.model_dump(exclude_none=True)
                results.append({"result": result, "asked": person.asked, "tokens": tokens})
    return {"version": version, "tools": tools, "steps": results}


if __name__ == "__main__":
    _, server, era, *programs = sys.argv
    print(json.dumps(asyncio.run(main(server, era, programs, json.load(sys.stdin)))))
