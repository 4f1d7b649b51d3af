/** What is decided once stays decided, whoever races and whatever is restarted: real objects, restarted for real. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { McpClient } from './support/mcp.mjs';
import { authorize, exchange, refresh, revoke, signIn } from './support/oauth.mjs';
import { Stack } from './support/stack.mjs';

/** The grace, in seconds, so short that a test can wait for its end. */
const GRACE = 2;
const RACERS = 50;

let stack;
before(async () => {
  stack = await Stack.start({ overrides: { REFRESH_GRACE: String(GRACE) } });
});
after(() => stack?.stop());

const times = (count, make) => Promise.all(Array.from({ length: count }, make));
const status = async (token) => (await new McpClient(stack.mcp, token).request('tools/list')).status;
const graceOver = () => pause((GRACE + 1.1) * 1000);

/** Fifty refreshes at once: the tokens that all of them got. */
async function race({ client_id: clientId, refresh_token: token }) {
  const answers = await times(RACERS, () => refresh(stack.url, clientId, token));
  assert.deepEqual(
    answers.map((answer) => answer.status),
    Array(RACERS).fill(200),
  );
  assert.equal(new Set(answers.map(({ body }) => body.refresh_token)).size, 1, 'one successor');
  return { ...answers[0].body, client_id: clientId };
}

test('E4: of fifty redemptions of one code one succeeds, and its tokens are dead', async () => {
  const { request, callback } = await authorize(stack.url);
  const code = callback.searchParams.get('code');
  await stack.restart();
  const answers = await times(RACERS, () => exchange(stack.url, request, code));
  const granted = answers.filter((answer) => answer.status === 200);
  assert.equal(granted.length, 1);
  for (const answer of answers)
    if (answer !== granted[0]) assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_grant']);
  const { access_token: access, refresh_token: token } = granted[0].body;
  assert.equal(await status(access), 401);
  await stack.restart();
  assert.equal(await status(access), 401);
  assert.equal((await refresh(stack.url, request.clientId, token)).body.error, 'invalid_grant');
});

test('E7, E8: fifty refreshes have one successor, again after a restart, and after the grace while it is unused', async () => {
  const login = await signIn(stack.url);
  const first = await race(login);
  await stack.restart();
  await graceOver();
  const again = await race(login);
  assert.equal(again.refresh_token, first.refresh_token);
  assert.equal(await status(again.access_token), 200);
});

test('E9: after the grace, the replay of a token whose successor was used ends the family', async () => {
  const login = await signIn(stack.url);
  const second = await race(login);
  assert.equal(await status(second.access_token), 200);
  await stack.restart();
  await graceOver();
  const thieves = await times(RACERS, () => refresh(stack.url, login.client_id, login.refresh_token));
  for (const { status, body } of thieves) assert.deepEqual([status, body.error], [400, 'invalid_grant']);
  assert.equal(await status(second.access_token), 401);
  const owner = await refresh(stack.url, second.client_id, second.refresh_token);
  assert.deepEqual([owner.status, owner.body.error], [400, 'invalid_grant']);
});

test('F3: a change that waits in the queue is not sent when its grant has ended', async () => {
  const [first, second] = [await signIn(stack.url), await signIn(stack.url)];
  const write = ({ access_token: token }, path) =>
    new McpClient(stack.mcp, token).request('tools/call', {
      name: 'write_note',
      arguments: { path, content: 'x', mode: 'create' },
    });
  const warm = await write(first, 'Warm.md');
  assert.ok(!warm.message.result.isError, JSON.stringify(warm.message));

  // The first one hangs at GitHub and has the turn; the second one waits for it.
  await stack.switches({ hang: { at: 'before_commit', times: 1, milliseconds: 8000 } });
  await stack.forgetRequests();
  const slow = write(first, 'First.md');
  const changes = async () => (await stack.requests()).filter(({ method }) => method === 'PUT');
  while ((await changes()).length === 0) await pause(50);
  const waiting = write(second, 'Second.md');
  await pause(2000);
  assert.equal(await revoke(stack.url, second.client_id, second.refresh_token), 200);

  const [done, withdrawn] = await Promise.all([slow, waiting]);
  assert.ok(!done.message.result.isError, JSON.stringify(done.message));
  const { content, isError } = withdrawn.message.result;
  assert.ok(isError && content[0].text.startsWith('READ_ONLY: this login was ended'), JSON.stringify(content));
  assert.equal((await changes()).length, 1, 'one change was sent');
  await stack.switches({});
});
