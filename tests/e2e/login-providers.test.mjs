/** What holds whichever provider people log in with; each has its particulars in a file of its own. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ClaudeCode } from './support/claude.mjs';
import { submission } from './support/forms.mjs';
import { LoginStack, kinds, textOf } from './support/login.mjs';
import { refresh } from './support/oauth.mjs';
import { endings, logIn, look, send } from './support/sessions.mjs';

for (const kind of Object.keys(kinds)) {
  describe(kind, () => {
    let login;
    before(async () => {
      login = await LoginStack.start(kind);
    });
    after(() => login?.stop());

    test('consent, login, code, token, tools', async () => {
      const { access_token: token, scope, client_id: id, refresh_token } = await login.signIn();
      assert.equal(scope, 'vault:read vault:write');
      for (const era of ['legacy', 'modern'])
        assert.ok((await login.tools(token, era)).includes('write_note'), era);
      assert.equal((await refresh(login.stack.url, id, refresh_token)).status, 200);
    });

    test('F3: an entry that ends in :read reads', async () => {
      const { access_token: token, scope } = await login.signIn({ user: login.people.reader });
      assert.equal(scope, 'vault:read');
      const names = await login.tools(token);
      assert.ok(names.includes('read_note'));
      assert.ok(!names.includes('write_note') && !names.includes('delete_note'), names.join());
    });

    test('C13: whoever is not listed gets a page that names them and the key, and no code', async () => {
      const { callback, page } = await login.authorize({ user: login.people.stranger });
      assert.equal(callback, undefined);
      assert.equal(page.status, 403);
      const text = textOf(page);
      assert.ok(text.includes(login.people.stranger) && text.includes(login.allowlist), text);
      assert.ok(!text.includes(login.people.owner) && !text.includes(login.people.reader), text);
    });

    test('D5: names are compared without case', async () => {
      await login.allow(` ${login.people.owner.toUpperCase()} `);
      assert.ok((await login.tools((await login.signIn()).access_token)).includes('write_note'));
      await login.allow(login.listed);
    });

    test('F4: a token from before the list changed offers nothing', async () => {
      const before = await login.signIn();
      assert.notDeepEqual(await login.tools(before.access_token), []);
      for (const list of [`${login.people.reader}:read`, undefined]) {
        await login.allow(list);
        assert.deepEqual(await login.tools(before.access_token), [], list);
      }
      await login.allow(login.listed);
      assert.notDeepEqual(await login.tools(before.access_token), [], 'and does again once they are back');
    });

    test('E15: a person sees and ends what they have connected; a stranger gets the page that says why not', async () => {
      const { stack, people } = login;
      const before = await login.signIn();
      const browser = login.browser();
      assert.ok((await logIn(browser, stack.url, { user: people.owner })).callback);
      const page = await look(browser, stack.url);
      assert.ok(textOf(page).includes(`You are logged in as ${people.owner}`), textOf(page));
      const id = before.access_token.split('.')[1];
      const form = endings(page).find(({ inputs }) => inputs.some(({ value }) => value === id));
      assert.equal((await send(browser, stack.url, form, submission(form, {}))).status, 303);
      await assert.rejects(login.tools(before.access_token), /401/);

      const { page: refused } = await logIn(login.browser(), stack.url, { user: people.stranger });
      assert.equal(refused.status, 403);
      assert.ok(textOf(refused).includes(people.stranger), textOf(refused));
      assert.ok(textOf(refused).includes(login.allowlist), textOf(refused));
    });

    test('C8: a callback works once, and in the browser that began', async () => {
      const browser = login.browser();
      await login.authorize({ browser });
      const url = browser.visited.find((visited) => visited.startsWith(`${login.stack.url}/callback?`));
      assert.ok(url, browser.visited.join('\n'));
      for (const again of [browser, login.browser()]) {
        const response = await again.fetch(url);
        assert.ok([400, 403].includes(response.status), `${response.status}`);
        assert.equal(response.headers.get('location'), null);
      }
    });

    test('the real Claude Code logs in', async () => {
      const claude = new ClaudeCode();
      try {
        await claude.mcp('add', '--transport', 'http', 'vault', login.stack.mcp);
        const { code, output } = await claude.login('vault', login.person());
        assert.equal(code, 0, output);
        assert.match((await claude.mcp('list')).output, /vault: .*Connected/);
      } finally {
        claude.remove();
      }
    });

    // Last, so that it looks at all that happened.
    test('D2, H1: nothing that the provider handed out is in the log or in a database', async () => {
      const { secrets } = await login.control('GET', 'seen');
      assert.ok(secrets.length > 10, `${secrets.length} secrets`);
      const traces = login.traces();
      const hold = (text) => traces.filter(([, trace]) => trace.includes(text)).map(([place]) => place);
      // What is there is found: a client's name in a database, an event in the log.
      assert.ok(hold('end-to-end test').some((place) => place.includes('.sqlite')));
      assert.deepEqual(hold('"code_issued"'), ['the log']);
      // The end of a token is as good as the whole, and shortened ones are found too.
      for (const secret of secrets) assert.deepEqual(hold(secret.slice(-16)), []);
    });
  });
}
