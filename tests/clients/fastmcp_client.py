"""fastmcp's client through its own OAuth flow: python fastmcp_client.py URL. It opens the BROWSER of the environment.

It lists the tools, reads a note, takes its access token for expired, and reads the note again. Prints
one JSON object: the names of the tools, and the first text of both calls.
"""

import asyncio
import json
import sys

from fastmcp import Client


async def main(url):
    async with Client(url, auth="oauth") as client:
        tools = [tool.name for tool in await client.list_tools()]
        first = await client.call_tool("read_note", {"path": "Index.md"})
        client.transport.auth.context.token_expiry_time = 1
        second = await client.call_tool("read_note", {"path": "Index.md"})
    calls = [result.content[0].text for result in (first, second)]
    print(json.dumps({"tools": tools, "calls": calls}))


asyncio.run(main(sys.argv[1]))
