/**
 * The look-alike's answers against what GitHub declares of them: every operation, in every way it can answer, under every
 * switch. What GitHub answers beside that is in `support/undeclared_answers.mjs`.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { headOf, repositoryIn } from './support/git.mjs';
import { send, writing } from './support/github_api.mjs';
import { faultsOf, faultsOfRefusal, isDeclared, operations } from './support/github_schemas.mjs';
import { LookAlike } from './support/look_alike.mjs';
import { inRepository } from './support/places.mjs';
import { freePorts } from './support/processes.mjs';
import { UNDECLARED } from './support/undeclared_answers.mjs';

const TOKENS = Object.fromEntries(
  ['lookalike', 'readonly', 'nocontents', 'expired', 'other', 'every'].map((name) => [
    name,
    `github_pat_LOCAL0000000000000000_${name}`,
  ]),
);
const VAULT = '/repos/example/vault';
const CONTENTS = `${VAULT}/contents`;
const INSTALLATION = '/app/installations/200002';
const RAW = 'application/vnd.github.raw+json';
const OBJECT = 'application/vnd.github.object+json';
const SHA = 'application/vnd.github.sha';
const NOWHERE = '0'.repeat(40);

/** Answers that are no JSON where JSON is declared. */
const OF_ANOTHER_TYPE = ['Raw', 'NoUserAgent'];

/** What the look-alike's own failure would be, which is nothing of GitHub's. */
const NOT_GITHUBS = ['Broken'];

let github;
let state;
let forms;
/** What has been seen so far: operations that succeeded, refusals, switches that were on, undeclared answers. */
const seen = { operations: new Set(), refusals: new Set(), switches: new Set(), undeclared: new Set() };

before(async () => {
  state = mkdtempSync(join(tmpdir(), 'vault-mcp-openapi-'));
  github = new LookAlike({ port: await freePorts(1), state });
  await github.ready();
  forms = await github.control('GET', 'forms');
});
after(async () => {
  await github?.stop();
  rmSync(state, { recursive: true, force: true });
});

/** What kind of answer it is, in the words of `UNDECLARED`. */
function formOf({ status, type }, { refusal }) {
  if (refusal) return refusal;
  if (status === 304) return 'NotModified';
  if (status === 301 || status === 307) return 'Moved';
  if (type === 'text/html' && status === 403) return 'NoUserAgent';
  return type.endsWith('.raw') ? 'Raw' : 'Success';
}

/** What is wrong with an answer that GitHub does not declare. */
function faultsOfUndeclared(form, operation, answer) {
  const entry = UNDECLARED[form];
  if (!entry || (entry.operations && !entry.operations.includes(operation)))
    return [`${form} is not declared, and no source is named for it`];
  seen.undeclared.add(entry.operations ? `${form} ${operation}` : form);
  if (answer.status >= 400 && form !== 'NoUserAgent') return faultsOfRefusal(answer);
  return form === 'NotModified' && answer.bytes.length > 0 ? ['a body in a 304'] : [];
}

/** Sends a request, expects this status, and holds the answer against what GitHub declares. */
async function ask(status, method, path, options = {}) {
  await github.control('DELETE', 'requests');
  const answer = await send(github.url, method, path, { token: TOKENS.lookalike, ...options });
  const [logged] = await github.control('GET', 'requests');
  const { operation } = logged;
  const what = `${method} ${path} → ${answer.status} ${answer.text.slice(0, 300)}`;
  assert.equal(answer.status, status, what);
  const form = formOf(answer, logged);
  if (logged.refusal) seen.refusals.add(logged.refusal);
  else if (status < 400 && form !== 'Moved') seen.operations.add(operation);
  let faults;
  if (!operation) faults = faultsOfRefusal(answer);
  else if (!OF_ANOTHER_TYPE.includes(form) && isDeclared(operation, status)) faults = faultsOf(operation, answer);
  else faults = faultsOfUndeclared(form, operation, answer);
  assert.deepEqual(faults, [], `${operation}: ${what}`);
  return answer;
}

/** Turns these switches on for as long as `work` takes. */
async function during(switches, work) {
  Object.keys(switches).forEach((name) => seen.switches.add(name));
  await github.control('PUT', 'switches', switches);
  try {
    return await work();
  } finally {
    await github.control('DELETE', 'switches');
  }
}

const push = (changes, branch) => github.control('POST', 'push', { changes, branch });
const git = (...args) =>
  execFileSync('git', ['--git-dir', repositoryIn(state), ...args], { encoding: 'utf8', maxBuffer: 1 << 28 }).trim();
const shaOf = (path) => git('rev-parse', `main:${path}`);

/** One reading request to each operation on a repository. */
const reads = (repository = VAULT) => {
  const head = headOf(repositoryIn(state));
  return [
    repository,
    `${repository}/branches/main`,
    `${repository}/git/ref/heads/main`,
    `${repository}/git/commits/${head}`,
    `${repository}/git/trees/${head}?recursive=1`,
    `${repository}/git/blobs/${shaOf('a.md')}`,
    `${repository}/commits`,
    `${repository}/commits/main`,
    `${repository}/compare/${head}...main`,
    `${repository}/contents/a.md`,
    `${repository}/tarball/main`,
  ];
};

/** Expects this status of every operation on the vault, reading and writing. */
async function everything(status, options) {
  for (const path of reads()) await ask(status, 'GET', path, options);
  await writes(status, options);
}

/** Expects this status of the two operations that write. */
async function writes(status, options) {
  await ask(status, 'PUT', `${CONTENTS}/new.md`, { body: writing('new'), ...options });
  await ask(status, 'DELETE', `${CONTENTS}/a.md`, { body: { message: 'gone', sha: shaOf('a.md') }, ...options });
}

describe('what is there', () => {
  before(async () => {
    await push([
      { put: 'a.md', text: 'one\n' },
      { put: 'folder/b.md', text: 'b\n'.repeat(40) },
      { put: 'folder/gone.md', text: 'gone\n' },
      { put: 'link.md', text: 'a.md', mode: 'symlink' },
      { put: 'dangling.md', text: 'nowhere', mode: 'symlink' },
      { put: 'module', text: 'f'.repeat(40), mode: 'submodule' },
      { put: 'run.md', text: 'x', mode: 'executable' },
      { put: 'large.bin', base64: Buffer.alloc(1_200_000, 7).toString('base64') },
    ]);
    await push([
      { put: 'a.md', text: 'two\n' },
      { delete: 'folder/gone.md' },
      { rename: 'folder/b.md', to: 'moved.md' },
    ]);
    await push([{ put: 'side.md', text: 'x' }], 'side');
    const tagger = ['-c', 'user.name=t', '-c', 'user.email=t@example.test'];
    git(...tagger, 'tag', '-a', '-m', 'one', 'v1', 'main');
    git('tag', 'light', 'main');
  });

  test('of the account', async () => {
    await ask(200, 'GET', '/user');
    await ask(200, 'GET', '/user/repos');
    await ask(200, 'GET', '/rate_limit');
  });

  test('of the repository', async () => {
    const { json } = await ask(200, 'GET', VAULT);
    await ask(200, 'GET', `/repositories/${json.id}`);
    await ask(200, 'GET', VAULT, { token: TOKENS.nocontents });
    for (const ref of ['heads/main', 'heads/side', 'tags/v1', 'tags/light'])
      await ask(200, 'GET', `${VAULT}/git/ref/${ref}`);
    await ask(200, 'GET', `${VAULT}/branches/main`);
  });

  test('of commits and comparisons', async () => {
    const [head, first] = [git('rev-parse', 'main'), git('rev-list', '--max-parents=0', 'main')];
    for (const commit of [head, first]) {
      await ask(200, 'GET', `${VAULT}/git/commits/${commit}`);
      await ask(200, 'GET', `${VAULT}/commits/${commit}`);
    }
    await ask(200, 'GET', `${VAULT}/commits/heads/main`, { accept: SHA });
    await ask(200, 'GET', `${VAULT}/commits`);
    await ask(200, 'GET', `${VAULT}/commits?path=a.md&per_page=1`);
    await ask(200, 'GET', `${VAULT}/commits?path=nothing.md`);
    for (const [range, status] of [
      ['main...main', 'identical'],
      [`${first}...main`, 'ahead'],
      [`main...${first}`, 'behind'],
      ['main...side', 'ahead'],
      [`${first}...main?per_page=1&page=2`, 'ahead'],
    ]) {
      const { json } = await ask(200, 'GET', `${VAULT}/compare/${range}`);
      assert.equal(json.status, status, range);
    }
    const { json } = await ask(200, 'GET', `${VAULT}/compare/${git('rev-parse', 'main~1')}...main`);
    assert.deepEqual([...new Set(json.files.map((file) => file.status))].sort(), [
      'modified',
      'removed',
      'renamed',
    ]);
  });

  test('of trees, blobs and archives', async () => {
    await ask(200, 'GET', `${VAULT}/git/trees/main`);
    await ask(200, 'GET', `${VAULT}/git/trees/main?recursive=1`);
    for (const accept of [undefined, RAW])
      await ask(200, 'GET', `${VAULT}/git/blobs/${shaOf('a.md')}`, { accept });
    await ask(302, 'GET', `${VAULT}/tarball/main`);
    await ask(302, 'GET', `${VAULT}/tarball`);
  });

  test('of files and folders', async () => {
    for (const path of ['a.md', 'large.bin', 'link.md', 'dangling.md', 'module', 'run.md', '', 'Daily'])
      for (const accept of [undefined, OBJECT, RAW]) {
        // Folders and submodules have no bytes.
        if (accept === RAW && ['module', '', 'Daily'].includes(path)) continue;
        for (const version of ['2022-11-28', '2026-03-10'])
          await ask(200, 'GET', `${CONTENTS}/${path}`, { accept, headers: { 'x-github-api-version': version } });
      }
    await ask(200, 'GET', `${CONTENTS}/a.md?ref=side`);
  });

  test('that has not changed', async () => {
    for (const path of [...reads().slice(0, -1), '/user', '/user/repos']) {
      const { headers } = await ask(200, 'GET', path);
      await ask(304, 'GET', path, { headers: { 'if-none-match': headers.get('etag') } });
    }
  });

  test('elsewhere now', async () => {
    await during({ renamed: [['example/vault', 'example/notes']] }, async () => {
      for (const path of reads()) await ask(301, 'GET', path);
      await writes(307);
      for (const path of reads('/repos/example/notes').slice(0, 2)) await ask(200, 'GET', path);
    });
  });

  test('and what is not', async () => {
    for (const path of [
      '/repos/example/nothing',
      '/repositories/1',
      '/nothing',
      `${CONTENTS}/nothing.md`,
      `${VAULT}/branches/nothing`,
      `${VAULT}/git/ref/heads/nothing`,
      `${VAULT}/git/trees/nothing`,
      `${VAULT}/git/commits/${NOWHERE}`,
      `${VAULT}/git/blobs/${NOWHERE}`,
      `${VAULT}/compare/${NOWHERE}...main`,
      `${VAULT}/commits?sha=nothing`,
      `${VAULT}/tarball/nothing`,
      `${CONTENTS}/a.md?ref=nothing`,
    ])
      await ask(404, 'GET', path);
    await ask(422, 'GET', `${VAULT}/commits/nothing`);
    await ask(422, 'GET', `${VAULT}/git/blobs/nothing`);
    await ask(422, 'GET', `${VAULT}/git/commits/nothing`);
    const alone = git('-c', 'user.name=t', '-c', 'user.email=t@example.test', 'commit-tree', '-m', 'x', 'main^{tree}');
    await ask(404, 'GET', `${VAULT}/compare/${alone}...main`);
  });

  test('too large', async () => {
    const blob = execFileSync('git', ['--git-dir', repositoryIn(state), 'hash-object', '-w', '--stdin'], {
      input: Buffer.alloc(100 * 1024 * 1024 + 1),
      encoding: 'utf8',
    }).trim();
    const tree = execFileSync('git', ['--git-dir', repositoryIn(state), 'mktree'], {
      input: `100644 blob ${blob}\thuge.bin\n`,
      encoding: 'utf8',
    }).trim();
    const commit = git('-c', 'user.name=t', '-c', 'user.email=t@example.test', 'commit-tree', '-m', 'huge', tree);
    await ask(403, 'GET', `${CONTENTS}/huge.bin?ref=${commit}`);
  });
});

describe('changes', () => {
  test('that are made', async () => {
    await ask(201, 'PUT', `${CONTENTS}/w/new.md`, { body: writing('new') });
    const sha = shaOf('w/new.md');
    await ask(200, 'PUT', `${CONTENTS}/w/new.md`, { body: writing('newer', { sha }) });
    // The sha of a file that is gone is ignored.
    await ask(201, 'PUT', `${CONTENTS}/w/again.md`, { body: writing('again', { sha }) });
    await ask(200, 'DELETE', `${CONTENTS}/w/again.md`, { body: { message: 'd', sha: shaOf('w/again.md') } });
  });

  test('that are not', async () => {
    const sha = shaOf('a.md');
    for (const [status, path, body] of [
      [422, 'a.md', writing('x')],
      [409, 'a.md', writing('x', { sha: NOWHERE })],
      [404, 'x.md', writing('x', { branch: 'nothing' })],
      [404, 'x/', writing('x')],
      [400, 'x.md', '{'],
      [400, 'x.md', '[]'],
      [422, 'x.md', { content: 'eA==' }],
      [422, 'x.md', { message: 'm' }],
      [422, 'x.md', { message: 'm', content: '!' }],
      [422, 'x.md', { message: 'm', content: 7 }],
      [422, 'x.md', writing('x', { author: 'me' })],
      [422, 'x.md', writing('x', { author: { name: 'me' } })],
      [422, '/x.md', writing('x')],
      [422, 'x/.git/y.md', writing('x')],
    ])
      await ask(status, 'PUT', `${CONTENTS}/${path}`, { body });
    for (const [status, path, body] of [
      [422, 'a.md', { message: 'd' }],
      [409, 'a.md', { message: 'd', sha: NOWHERE }],
      [404, 'nothing.md', { message: 'd', sha }],
      [404, 'a.md', { message: 'd', sha, branch: 'nothing' }],
      [400, 'a.md', '{'],
      [400, 'a.md', '[]'],
    ])
      await ask(status, 'DELETE', `${CONTENTS}/${path}`, { body });
  });

  test('in an empty repository', async () => {
    const [token, empty] = [TOKENS.every, '/repos/example/empty'];
    await ask(200, 'GET', empty, { token });
    for (const path of ['git/ref/heads/main', 'git/trees/main', `git/blobs/${NOWHERE}`, 'commits', 'commits/main'])
      await ask(409, 'GET', `${empty}/${path}`, { token });
    for (const path of ['contents', 'contents/a.md', 'branches/main', 'tarball/main'])
      await ask(404, 'GET', `${empty}/${path}`, { token });
    await ask(201, 'PUT', `${empty}/contents/a.md`, { token, body: writing('first') });
  });
});

describe('credentials', () => {
  test('that are none, or not good enough', async () => {
    await ask(401, 'GET', '/user', { token: undefined });
    await everything(401, { token: TOKENS.expired });
    for (const token of [undefined, TOKENS.other]) {
      await ask(404, 'GET', VAULT, { token });
      await writes(404, { token });
    }
    await writes(403, { token: TOKENS.readonly });
    for (const path of reads().slice(1)) await ask(403, 'GET', path, { token: TOKENS.nocontents });
    await during({ not_found_for_permission: true }, () => writes(404, { token: TOKENS.readonly }));
    await during({ unauthorized: true }, () => everything(401));
  });

  test('and headers', async () => {
    await everything(403, { headers: { 'user-agent': '' } });
    await everything(400, { headers: { 'x-github-api-version': 'v3' } });
    await during({ tarball_refuses_bearer: true }, async () => {
      await ask(401, 'GET', `${VAULT}/tarball/main`);
      await ask(302, 'GET', `${VAULT}/tarball/main`, { scheme: 'token' });
    });
  });

  test('of an app', async () => {
    const usual = await github.control('GET', 'installation');
    const token = jwt();
    await ask(200, 'GET', INSTALLATION, { token });
    const buy = (body, status = 201) => ask(status, 'POST', `${INSTALLATION}/access_tokens`, { token, body });
    const bought = (await buy()).json.token;
    const { id } = (await ask(200, 'GET', VAULT)).json;
    await buy({ repository_ids: [id], permissions: { contents: 'write', metadata: 'read' } });
    await ask(200, 'GET', '/installation/repositories', { token: bought });
    await ask(403, 'GET', '/installation/repositories');
    await ask(403, 'GET', '/user', { token: bought });
    await ask(403, 'GET', '/user/repos', { token: bought });

    await buy('{', 400);
    await buy({ permissions: { issues: 'write' } }, 422);
    await buy({ repositories: ['nothing'] }, 422);
    await ask(404, 'GET', '/app/installations/1', { token });
    await ask(404, 'POST', '/app/installations/1/access_tokens', { token });

    const now = Math.floor(Date.now() / 1000);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    for (const [status, other] of [
      [401, undefined],
      [401, 'nonsense'],
      [401, jwt({}, privateKey)],
      [401, jwt({ exp: now - 1 })],
      [401, jwt({ exp: now + 3600 })],
      [401, jwt({ iat: now + 120 })],
      [404, jwt({ iss: '1' })],
    ])
      for (const [method, path] of [
        ['GET', INSTALLATION],
        ['POST', `${INSTALLATION}/access_tokens`],
      ])
        await ask(status, method, path, { token: other });

    try {
      await github.control('PUT', 'installation', { ...usual, suspended: true });
      await ask(200, 'GET', INSTALLATION, { token });
      await buy({}, 403);
      await everything(403, { token: bought });
      await github.control('PUT', 'installation', { ...usual, repositories: null });
      await ask(200, 'GET', INSTALLATION, { token });
      await buy();
    } finally {
      await github.control('PUT', 'installation', usual);
    }
    await during({ fail_app: true }, async () => {
      await ask(502, 'GET', INSTALLATION, { token });
      await buy({}, 502);
    });
    await during({ forbidden: 'permission' }, () => everything(403, { token: bought }));
  });
});

describe('moods', () => {
  test('of the whole repository', async () => {
    for (const forbidden of ['permission', 'sso', 'login_attempts', 'ip_allow_list'])
      await during({ forbidden }, () => everything(403));
    await during({ archived: ['example/vault'] }, async () => {
      await writes(403);
      await ask(200, 'GET', VAULT);
    });
    await during({ missing: ['example/vault'] }, async () => {
      await ask(404, 'GET', VAULT);
      await writes(404);
    });
  });

  test('of limits', async () => {
    for (const status of [403, 429]) {
      await during({ primary_limit: { status } }, () => everything(status));
      for (const retry_after of [null, 7])
        await during({ secondary_limit: { status, retry_after } }, () => everything(status));
    }
  });

  test('of rules', async () => {
    for (const rule_violation of ['ruleset', 'required_checks']) await during({ rule_violation }, () => writes(409));
    await during({ secret_scanning: true }, () =>
      ask(409, 'PUT', `${CONTENTS}/s.md`, { body: writing(`ghp_${'a1B2'.repeat(9)}`) }),
    );
  });

  test('of races and outages', async () => {
    await during({ tip_race: true }, () => writes(409));
    await during({ fail_before_commit: true }, () => writes(502));
    await during({ fail_reads: true }, async () => {
      for (const path of reads()) await ask(502, 'GET', path);
    });
    await during({ fail_after_commit: true }, () => ask(502, 'PUT', `${CONTENTS}/lost.md`, { body: writing('x') }));
    assert.ok(shaOf('lost.md'));
  });

  test('of being slow', async () => {
    for (const at of ['request', 'before_commit', 'after_commit'])
      await during({ hang: { at, milliseconds: 1 } }, () =>
        ask(201, 'PUT', `${CONTENTS}/slow-${at}.md`, { body: writing('x') }),
      );
    await push([{ put: 'lag.md', text: 'x' }]);
    for (const ref_lag of [{ reads: 100 }, { milliseconds: 60_000 }])
      await during({ ref_lag }, async () => {
        for (const path of ['', '/branches/main', '/git/ref/heads/main', '/commits', '/commits/main', '/contents/'])
          await ask(200, 'GET', `${VAULT}${path}`);
      });
  });

  test('of saying less', async () => {
    await during({ tree_truncate_at: 2, listing_cap: 1, compare_cap: 1 }, async () => {
      assert.equal((await ask(200, 'GET', `${VAULT}/git/trees/main?recursive=1`)).json.truncated, true);
      assert.equal((await ask(200, 'GET', CONTENTS)).json.length, 1);
      const first = git('rev-list', '--max-parents=0', 'main');
      assert.equal((await ask(200, 'GET', `${VAULT}/compare/${first}...main`)).json.files.length, 1);
    });
  });

  test('of telling others, and of breaking off what is no answer of the API', async () => {
    const webhook = { url: `http://localhost:${await freePorts(1)}/`, secret: 'x'.repeat(32) };
    await during({ webhook, cut_tarball: { after_bytes: 10 } }, async () => {
      await ask(201, 'PUT', `${CONTENTS}/told.md`, { body: writing('x') });
      await ask(302, 'GET', `${VAULT}/tarball/main`);
    });
  });
});

describe('the whole of it', () => {
  const missing = (all, some) => all.filter((one) => !some.has(one));

  test('the look-alike has no operation of which nothing is declared here', () =>
    assert.deepEqual([...forms.operations].sort(), operations));

  test('every operation has succeeded', () => assert.deepEqual(missing(forms.operations, seen.operations), []));

  test('every refusal was given', () =>
    assert.deepEqual(missing(forms.refusals, seen.refusals), NOT_GITHUBS));

  test('every switch was on', async () =>
    assert.deepEqual(missing(Object.keys(await github.control('GET', 'switches')), seen.switches), []));

  test('everything said to be undeclared was answered, and is', () => {
    const all = Object.entries(UNDECLARED).flatMap(([form, { operations: some }]) =>
      some ? some.map((operation) => `${form} ${operation}`) : [form],
    );
    assert.deepEqual(missing(all, seen.undeclared), []);
  });
});

/** A JSON Web Token of the look-alike's app (GitHub docs, "Generating a JSON Web Token (JWT) for a GitHub App"). */
function jwt(claims = {}, key = readFileSync(inRepository('dev/keys/app.pkcs1.pem'), 'utf8')) {
  const now = Math.floor(Date.now() / 1000);
  const encode = (part) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const all = { iat: now - 60, exp: now + 480, iss: '100001', ...claims };
  const input = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(all)}`;
  return `${input}.${sign('RSA-SHA256', Buffer.from(input), key).toString('base64url')}`;
}
