/** The Worker is killed in the middle of changes. What it had acknowledged is in git; the rest is found out next time. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesAt, commitsOf, headOf, repositoryIn } from './support/git.mjs';
import { McpClient } from './support/mcp.mjs';
import { signIn } from './support/oauth.mjs';
import { Stack } from './support/stack.mjs';

/** Changes at once. GitHub's pace lets five follow each other without waiting. */
const AT_ONCE = 4;

let stack;
let client;
let repository;

before(async () => {
  stack = await Stack.start();
  repository = repositoryIn(stack.gitState);
  client = new McpClient(stack.mcp, (await signIn(stack.url)).access_token);
});
after(() => stack?.stop());

/** Waits until `done` holds of the requests that reached GitHub. */
async function until(done) {
  for (let waited = 0; waited < 20_000; waited += 10) {
    if (done(await stack.requests())) return;
    await sleep(10);
  }
  assert.fail(`after 20 seconds: ${JSON.stringify(await stack.requests())}`);
}

const changes = (requests) => requests.filter(({ method }) => method !== 'GET');

/** The arguments of a change by which a note ends as `text`; undefined deletes it. */
const argumentsOf = ({ path, text, message }) =>
  text === undefined ? { path, message } : { path, content: text, mode: 'overwrite', message };

const make = (change) =>
  client.call(change.text === undefined ? 'delete_note' : 'write_note', argumentsOf(change)).then(
    ({ isError, content }) => ({ acknowledged: !isError, said: content[0].text }),
    (error) => ({ acknowledged: false, said: String(error.cause ?? error) }),
  );

const textInGit = (path) => bytesAt(repository, headOf(repository), path)?.toString('utf8');

const lastIsSent = (sent) => sent.length === AT_ONCE;

// Where a change is when the Worker dies: GitHub has not made it yet, has made it and not said so, or has answered.
for (const [name, hang, moment] of [
  ['before GitHub commits', { at: 'before_commit', times: true, milliseconds: 700 }, (sent) => sent.length > 0],
  ['after GitHub commits', { at: 'after_commit', times: true, milliseconds: 700 }, (sent) => sent.length > 0],
  [
    'between two changes',
    { at: 'before_commit', times: true, milliseconds: 100 },
    (sent) => sent.some(({ status }) => status !== null),
  ],
  [
    'with the last change on its way',
    { at: 'after_commit', times: true, milliseconds: 100 },
    lastIsSent,
  ],
]) {
  test(`killed ${name}`, async () => {
    const folder = name.replaceAll(' ', '-');
    const noted = (n) => ({ path: `${folder}/${n}.md`, message: `${folder} ${n}` });
    await stack.push([0, 1].map((n) => ({ put: `${folder}/${n}.md`, text: `old ${n}\n` })));
    await stack.forgetRequests();
    const planned = [
      { ...noted(0), text: 'new 0\n' },
      { ...noted(1), text: undefined },
      { ...noted(2), text: 'new 2\n' },
      { ...noted(3), text: 'new 3\n' },
    ];
    // The index hears of the push by a look at the branch: until then there is nothing to delete.
    const isKnown = async ({ path }) => !(await client.call('read_note', { path })).isError;
    for (let tries = 0; !(await isKnown(noted(1))) && tries < 60; tries += 1) await sleep(250);

    await stack.switches({ hang });
    const made = Promise.all(planned.map(make));
    await until((requests) => moment(changes(requests)));
    await stack.crash();
    const outcomes = await made;
    await stack.switches({});
    await until((requests) => requests.every(({ status }) => status !== null));

    // What was answered before the last change was sent has reached its caller.
    const answered = outcomes.filter(({ acknowledged }) => acknowledged).length;
    if (moment === lastIsSent) assert.ok(answered >= AT_ONCE - 2, JSON.stringify(outcomes));
    for (const [n, change] of planned.entries()) {
      const commits = () => commitsOf(repository, change.message);
      const isMade = textInGit(change.path) === change.text;
      const { acknowledged, said } = outcomes[n];
      if (acknowledged) assert.equal(commits().length, 1, `${change.message}: ${said}`);
      // The very next call knows what became of it.
      const read = await client.call('read_note', { path: change.path });
      const text = read.isError ? undefined : read.content[1].text;
      assert.equal(text, textInGit(change.path), `${change.message}: ${read.content[0].text}`);
      // Made again, it makes no second commit.
      const again = await make(change);
      assert.equal(commits().length, 1, `${change.message}: ${said}, then ${again.said}`);
      assert.equal(textInGit(change.path), change.text, change.message);
      if (isMade && change.text !== undefined) assert.equal(JSON.parse(again.said).unchanged, true);
    }
  });
}
