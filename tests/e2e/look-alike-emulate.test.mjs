/**
 * The look-alike beside an emulator of GitHub that others wrote: the same requests to both, and what differs in the answers
 * held against a list. Where our own idea of GitHub is wrong, theirs need not be.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createEmulator } from 'emulate';
import { DIFFERENCES } from './support/emulate_differences.mjs';
import { send, writing } from './support/github_api.mjs';
import { LookAlike } from './support/look_alike.mjs';
import { freePorts } from './support/processes.mjs';

const VAULT = '/repos/example/vault';
const CONTENTS = `${VAULT}/contents`;
const RAW = 'application/vnd.github.raw+json';
const NOWHERE = '0'.repeat(40);
const TOKEN = 'github_pat_LOCAL0000000000000000_lookalike';
/**
 * With times and names that both are told, both make the same commits. The emulator ends every message with a newline;
 * the look-alike leaves it as it was sent.
 */
const someone = (day) => ({ name: 'Ada', email: 'ada@example.test', date: `2026-02-0${day}T03:04:05Z` });
const signed = (day) => ({ message: 'write\n', author: someone(day), committer: someone(day) });
const put = (text, day, more) => writing(text, { ...signed(day), ...more });

/**
 * The requests, in order: a name, and what is sent. A function is given what the step before it of a name has answered, by
 * that name, and gives the rest.
 */
const STEPS = [
  ['an empty repository', 'GET', VAULT],
  ['the root of nothing', 'GET', CONTENTS],
  ['a branch of nothing', 'GET', `${VAULT}/git/ref/heads/main`],
  ['commits of nothing', 'GET', `${VAULT}/commits`],
  ['a tree of nothing', 'GET', `${VAULT}/git/trees/main`],
  ['the first file', 'PUT', `${CONTENTS}/a.md`, { body: put('one\n', 1) }],
  ['a file in a folder', 'PUT', `${CONTENTS}/folder/b%20%C3%BC.md`, { body: put('b\n', 2) }],
  ['a file after it', 'PUT', `${CONTENTS}/folder.md`, { body: put('c\n', 3) }],
  ['a file that is there', 'PUT', `${CONTENTS}/a.md`, { body: put('x', 3) }],
  ['another sha', 'PUT', `${CONTENTS}/a.md`, { body: put('x', 3, { sha: NOWHERE }) }],
  ['another branch', 'PUT', `${CONTENTS}/x.md`, { body: put('x', 3, { branch: 'nothing' }) }],
  ['no Base64', 'PUT', `${CONTENTS}/x.md`, { body: { message: 'm', content: '!' } }],
  ['no message', 'PUT', `${CONTENTS}/x.md`, { body: { content: 'eA==' } }],
  ['no content', 'PUT', `${CONTENTS}/x.md`, { body: { message: 'm' } }],
  ['no JSON', 'PUT', `${CONTENTS}/x.md`, { body: '{' }],
  ['an author without an address', 'PUT', `${CONTENTS}/x.md`, { body: writing('x', { author: { name: 'Ada' } }) }],
  ['in the place of a folder', 'PUT', `${CONTENTS}/folder`, { body: put('x', 3) }],
  ['a path that climbs', 'PUT', `${CONTENTS}/x/%2e%2e%2fy.md`, { body: put('x', 3) }],
  ['an update', 'PUT', `${CONTENTS}/a.md`, (was) => ({ body: put('two\n', 4, { sha: was['the first file'].content.sha }) })],
  ['the repository', 'GET', VAULT],
  ['the branch', 'GET', `${VAULT}/git/ref/heads/main`],
  ['the branch with its commit', 'GET', `${VAULT}/branches/main`],
  ['a branch that is missing', 'GET', `${VAULT}/git/ref/heads/nothing`],
  ['the commit', 'GET', `${VAULT}/commits/main`],
  ['the commit alone', 'GET', `${VAULT}/commits/main`, { accept: 'application/vnd.github.sha' }],
  ['a commit that is missing', 'GET', `${VAULT}/commits/nothing`],
  ['the commit object', (was) => ['GET', `${VAULT}/git/commits/${was['an update'].commit.sha}`]],
  ['a commit object that is missing', 'GET', `${VAULT}/git/commits/${NOWHERE}`],
  ['commits', 'GET', `${VAULT}/commits`],
  ['commits of a path', 'GET', `${VAULT}/commits?path=a.md&per_page=1`],
  ['the tree', 'GET', `${VAULT}/git/trees/main`],
  ['the whole tree', 'GET', `${VAULT}/git/trees/main?recursive=1`],
  ['a tree that is missing', 'GET', `${VAULT}/git/trees/${NOWHERE}`],
  ['a blob', (was) => ['GET', `${VAULT}/git/blobs/${was['an update'].content.sha}`]],
  ['the bytes of a blob', (was) => ['GET', `${VAULT}/git/blobs/${was['an update'].content.sha}`, { accept: RAW }]],
  ['a blob that is missing', 'GET', `${VAULT}/git/blobs/${NOWHERE}`],
  ['a blob of no name', 'GET', `${VAULT}/git/blobs/nothing`],
  ['a file', 'GET', `${CONTENTS}/folder/b%20%C3%BC.md`],
  ['its bytes', 'GET', `${CONTENTS}/folder/b%20%C3%BC.md`, { accept: RAW }],
  ['a folder', 'GET', `${CONTENTS}/folder`],
  ['the root', 'GET', CONTENTS],
  ['a file that is missing', 'GET', `${CONTENTS}/nothing.md`],
  ['a ref that is missing', 'GET', `${CONTENTS}/a.md?ref=nothing`],
  ['what changed', (was) => ['GET', `${VAULT}/compare/${was['the first file'].commit.sha}...main`]],
  ['what did not', 'GET', `${VAULT}/compare/main...main`],
  ['backwards', (was) => ['GET', `${VAULT}/compare/main...${was['the first file'].commit.sha}`]],
  ['against nothing', 'GET', `${VAULT}/compare/${NOWHERE}...main`],
  ['a deletion without sha', 'DELETE', `${CONTENTS}/a.md`, { body: { message: 'd' } }],
  ['a deletion with another sha', 'DELETE', `${CONTENTS}/a.md`, { body: { message: 'd', sha: NOWHERE } }],
  ['a deletion of nothing', 'DELETE', `${CONTENTS}/nothing.md`, { body: { message: 'd', sha: NOWHERE } }],
  [
    'a deletion',
    'DELETE',
    `${CONTENTS}/a.md`,
    (was) => ({ body: { ...signed(5), sha: was['an update'].content.sha } }),
  ],
  ['the tree after it', 'GET', `${VAULT}/git/trees/main?recursive=1`],
  // Each makes a commit in one of them alone: from here on the branches differ.
  ['a sha where nothing is', 'PUT', `${CONTENTS}/a.md`, (was) => ({ body: put('3', 6, { sha: was['the first file'].content.sha }) })],
  ['below a file', 'PUT', `${CONTENTS}/folder.md/x.md`, { body: put('x', 6) }],
  ['an unknown repository', 'GET', '/repos/example/nothing'],
  ['an unknown version', 'GET', VAULT, { headers: { 'x-github-api-version': 'v3' } }],
  ['no User-Agent', 'GET', VAULT, { headers: { 'user-agent': '' } }],
  ['an unknown token', 'GET', VAULT, { token: 'github_pat_nonsense' }],
];

let emulator;
let lookAlike;
let state;
before(async () => {
  state = mkdtempSync(join(tmpdir(), 'vault-mcp-emulate-'));
  const port = await freePorts(2);
  lookAlike = new LookAlike({ port, state });
  await lookAlike.ready();
  await lookAlike.control('POST', 'repositories', { name: 'example/vault', files: [] });
  emulator = await createEmulator({
    service: 'github',
    port: port + 1,
    seed: {
      github: {
        users: [{ login: 'example' }],
        repos: [{ owner: 'example', name: 'vault', private: true, auto_init: false }],
      },
      tokens: { [TOKEN]: { login: 'example', scopes: ['repo'] } },
    },
  });
});
after(async () => {
  await emulator?.close();
  await lookAlike?.stop();
  rmSync(state, { recursive: true, force: true });
});

/** What a server says to each step, by the step's name. */
async function play(origin) {
  const answers = {};
  const bodies = {};
  for (const [name, ...rest] of STEPS) {
    const [method, path, options = {}] = typeof rest[0] === 'function' ? rest[0](bodies) : rest;
    const given = typeof options === 'function' ? options(bodies) : options;
    const answer = await send(origin, method, path, { token: TOKEN, ...given });
    bodies[name] = answer.json;
    answers[name] = { status: answer.status, body: normalised(answer.json ?? answer.text, origin) };
  }
  return answers;
}

/** Without what is each server's own: its address, its numbers, and the time. */
function normalised(value, origin) {
  if (Array.isArray(value)) return value.map((one) => normalised(one, origin));
  if (value === null || typeof value !== 'object')
    return typeof value === 'string' ? value.replaceAll(origin, 'ORIGIN') : value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !/^(?:node_)?id$|^(?:created|updated|pushed)_at$/.test(key))
      .map(([key, one]) => [key, normalised(one, origin)]),
  );
}

/** A list of named things as those things and the order of their names: one that is elsewhere is one difference. */
function named(value) {
  const nameOf = (one) => one?.path ?? one?.filename;
  if (!Array.isArray(value) || value.length === 0 || !value.every(nameOf)) return value;
  return { ...Object.fromEntries(value.map((one) => [nameOf(one), one])), order: value.map(nameOf).join(', ') };
}

const isContainer = (value) => value !== null && typeof value === 'object';

/** Every place where two answers differ, with what each has there. */
function* differences(ours, theirs, at) {
  if (!isContainer(ours) || !isContainer(theirs) || Array.isArray(ours) !== Array.isArray(theirs)) {
    if (JSON.stringify(ours) !== JSON.stringify(theirs)) yield { at, ours, theirs };
    return;
  }
  const [one, other] = [named(ours), named(theirs)];
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
    yield* differences(one[key], other[key], `${at}/${key}`);
}

test('both answer alike, but for what is known to differ', async () => {
  const [ours, theirs] = [await play(lookAlike.url), await play(emulator.url)];
  const found = STEPS.flatMap(([name]) => {
    const [one, other] = [ours[name], theirs[name]];
    // What refuses and what does not have nothing to compare but that.
    if (one.status < 400 !== other.status < 400)
      return [{ at: `${name}/status`, ours: one.status, theirs: other.status }];
    return [...differences(one, other, name)];
  });
  const shown = ({ at, ours: one, theirs: other }) =>
    `${at}: ${JSON.stringify(one)?.slice(0, 120)} here, ${JSON.stringify(other)?.slice(0, 120)} there`;
  const unknown = found.filter(({ at }) => !DIFFERENCES.some(({ where }) => where.test(at)));
  const gone = DIFFERENCES.filter(({ where }) => !found.some(({ at }) => where.test(at)));
  const report = [
    ...unknown.map((difference) => `new: ${shown(difference)}`),
    ...gone.map(({ where }) => `no more: ${where}`),
  ];
  assert.ok(report.length === 0, report.join('\n'));
});
