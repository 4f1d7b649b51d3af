/** GitHub's webhook over the wire: a push that is told of shows at once, and nobody else can ring. */
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { McpClient } from './support/mcp.mjs';
import { signIn } from './support/oauth.mjs';
import { Stack } from './support/stack.mjs';

const secret = randomBytes(32).toString('hex');

let stack;
let client;
let told;
before(async () => {
  stack = await Stack.start({ overrides: { GITHUB_WEBHOOK_SECRET: secret } });
  client = new McpClient(stack.mcp, (await signIn(stack.url)).access_token);
  // Waits for the index.
  await client.allHits('boat');
  told = { webhook: { url: `${stack.url}/webhook/github`, secret } };
});
after(() => stack?.stop());

/** The text of a note, or undefined where there is none. */
async function textOf(path) {
  const answer = await client.call('read_note', { path });
  return answer.isError ? undefined : answer.content[1].text;
}

/** Sends a delivery as GitHub does; `change` makes another one of it. */
function deliver(body, change = {}) {
  const digest = createHmac('sha256', secret).update(body).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'push',
    'x-hub-signature-256': `sha256=${digest}`,
    ...change,
  };
  for (const name of Object.keys(headers)) if (headers[name] === undefined) delete headers[name];
  return fetch(`${stack.url}/webhook/github`, { method: 'POST', headers, body });
}

test('a push that is told of is in the next answer, and one that is not told of comes later', async () => {
  // Just looked at: nobody asks GitHub again for a while.
  await client.tool('list_notes', { limit: 1 });
  await stack.push([{ put: 'Unheard.md', text: 'nobody said so' }]);
  assert.equal(await textOf('Unheard.md'), undefined);
  await stack.switches(told);
  for (let n = 0; n < 3; n += 1) {
    const { delivered } = await stack.push([{ put: 'Heard.md', text: `push ${n}` }]);
    assert.equal(delivered, 202);
    assert.equal(await textOf('Heard.md'), `push ${n}`);
  }
  assert.equal(await textOf('Unheard.md'), 'nobody said so');
  await stack.switches({});
});

test('the echo of an own write asks GitHub for nothing', async () => {
  await stack.switches(told);
  await client.tool('write_note', { path: 'Own.md', content: 'mine' });
  // The delivery is sent beside the answer: give it time to arrive.
  await sleep(1_000);
  await stack.forgetRequests();
  assert.equal(await textOf('Own.md'), 'mine');
  const counted = (await stack.requests()).filter(({ counted }) => counted);
  assert.deepEqual(counted, []);
  await stack.switches({});
});

test('without the secret nobody rings, and the index asks GitHub for nothing', async () => {
  await client.tool('list_notes', { limit: 1 });
  await stack.push([{ put: 'Silent.md', text: 'x' }]);
  const body = JSON.stringify({ ref: 'refs/heads/main', after: '1'.repeat(40) });
  const forged = `sha256=${createHmac('sha256', 'another').update(body).digest('hex')}`;
  await stack.forgetRequests();
  for (const [change, status] of [
    [{ 'x-hub-signature-256': undefined }, 401],
    [{ 'x-hub-signature-256': forged }, 401],
    [{ 'content-type': 'application/x-www-form-urlencoded' }, 415],
    [{ 'x-github-event': 'ping' }, 202],
  ]) {
    const answer = await deliver(body, change);
    assert.equal(answer.status, status, JSON.stringify(change));
    assert.equal(answer.headers.get('access-control-allow-origin'), null);
    await answer.text();
  }
  assert.equal(await textOf('Silent.md'), undefined);
  assert.deepEqual(await stack.requests(), []);
});

test('a body that is not signed is not read', async () => {
  // It does not end before the answer comes.
  let answered = false;
  const endless = new ReadableStream({
    async pull(controller) {
      await sleep(50);
      if (answered) controller.close();
      else controller.enqueue(new Uint8Array(1_024));
    },
  });
  const answer = await fetch(`${stack.url}/webhook/github`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-github-event': 'push' },
    body: endless,
    duplex: 'half',
  });
  answered = true;
  assert.equal(answer.status, 401);
  await answer.text();
});

test('without the key there is no webhook', async () => {
  await stack.restart({ GITHUB_WEBHOOK_SECRET: undefined });
  const answer = await deliver(JSON.stringify({ ref: 'refs/heads/main', after: '1'.repeat(40) }));
  assert.equal(answer.status, 404);
  await answer.text();
});
