/** What the built Worker does so that its notes are fresh, as GitHub sees it: the rest is tested without a Worker. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { forward } from '../../dev/login/github/forward.mjs';
import { McpClient } from './support/mcp.mjs';
import { signIn } from './support/oauth.mjs';
import { Stack } from './support/stack.mjs';

/** How old an answer may be: a look at the branch is trusted for ten seconds. */
const FRESHNESS = 10_000;

let stack;
let client;
let front;
/** What answers the Worker's requests to GitHub; true where it has. Whatever it leaves is the look-alike's. */
let intercept = () => false;
before(async () => {
  let pass;
  front = createServer(async (request, response) => {
    try {
      const url = new URL(request.url, stack.github);
      if (!(await intercept(request, response, url))) await pass(request, response, url);
    } catch {
      response.destroy();
    }
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  stack = await Stack.start({ overrides: { GITHUB_API_URL: `http://localhost:${front.address().port}` } });
  pass = forward(stack.github);
  client = new McpClient(stack.mcp, (await signIn(stack.url)).access_token);
});
after(async () => {
  await stack?.stop();
  front?.closeAllConnections();
  front?.close();
});

test('no answer of GitHub comes out of a cache, though GitHub lets it be kept for a minute', async () => {
  const path = 'Cached.md';
  await client.tool('write_note', { path, content: 'one' });
  const { revision } = (await client.tool('read_note', { path })).facts;
  await client.tool('delete_note', { path, expected_revision: revision });
  const looks = async () => {
    await client.allNotes();
    return (await stack.requests()).filter(({ path }) => path.includes('/commits/heads/'));
  };
  const before = await looks();
  // The same request as before: were it answered on the way, it would not arrive.
  for (let waited = 0; (await looks()).length === before.length; waited += 500) {
    assert.ok(waited < FRESHNESS + 5_000, 'no second look at the branch has arrived');
    await sleep(500);
  }
  const asked = (await stack.requests()).filter(({ operation }) => operation);
  assert.ok(asked.length > 5);
  for (const { method, path, cache_control: control } of asked)
    assert.match(control ?? '', /no-(?:cache|store)/, `${method} ${path}`);
  const answer = await fetch(`${stack.github}/repos/example/vault/commits/heads/main`, {
    headers: { authorization: `Bearer github_pat_LOCAL0000000000000000_lookalike` },
  });
  assert.match(answer.headers.get('cache-control'), /max-age=60/);
});

/** Ways not to answer a request whole. */
const UNFINISHED = {
  'that never begins': () => {},
  'that never ends': (response) => {
    response.writeHead(201, { 'content-type': 'application/json' });
    const filler = Buffer.alloc(64 * 1024, 0x20);
    const more = () => {
      while (!response.destroyed && response.write(filler));
    };
    response.on('drain', more);
    more();
  },
};

for (const [how, leaveUnfinished] of Object.entries(UNFINISHED))
  test(`an answer ${how} holds no connection`, async () => {
    const path = `Answer ${how}.md`;
    let closed;
    let wasClosed;
    intercept = async (request, response, url) => {
      if (request.method === 'PUT') {
        // GitHub makes the change, whatever becomes of its answer.
        const { status } = await fetch(new URL(url.pathname, stack.github), {
          method: 'PUT',
          headers: { authorization: request.headers.authorization, 'user-agent': 'x' },
          body: await buffer(request),
        });
        assert.equal(status, 201);
        closed = once(response, 'close');
        leaveUnfinished(response);
        return true;
      }
      // The Worker goes on, and looks what became of the change: by then it must have let go of the answer.
      if (closed && wasClosed === undefined)
        wasClosed = await Promise.race([closed.then(() => true), sleep(10_000, false)]);
      return false;
    };
    try {
      const { facts } = await client.tool('write_note', { path, content: 'made all the same' });
      assert.ok(facts.commit);
      assert.equal(wasClosed, true);
    } finally {
      intercept = () => false;
    }
    assert.equal((await client.tool('read_note', { path })).texts[0], 'made all the same');
  });
