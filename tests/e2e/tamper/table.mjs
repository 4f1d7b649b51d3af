/** docs/login-tamper-matrix.md: what was found, as a page. */
import { parts } from './settings.mjs';

const judgement = (accepted) => (accepted ? 'lets in' : 'refuses');

const cells = (row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

/** The page. `found` maps each setting to `{certified, worker}` (see `verdict.mjs`). */
export function page(found) {
  const rows = (settings) =>
    settings.map((setting) => {
      const { certified, worker } = found.get(setting);
      const mark = setting.stricter ? ' **(stricter)**' : '';
      return cells([
        setting.says,
        judgement(certified),
        judgement(worker.accepted) + mark,
        worker.seen,
        worker.logged,
      ]);
    });
  const tables = parts.map(([title, settings]) =>
    [
      `## ${title}`,
      '',
      '| what the provider does | certified client | this server | what comes of it | the log |',
      '| --- | --- | --- | --- | --- |',
      ...rows(settings),
    ].join('\n'),
  );
  const stricter = parts
    .flatMap(([, settings]) => settings)
    .filter((setting) => setting.stricter)
    .map(({ says, stricter: why }) => `- ${says}: ${why}.`);
  return `${[
    `# Logins at a provider that misbehaves

<!-- Written by tests/e2e/tamper.test.mjs, which fails when this page is not what it finds.
     VAULT_MCP_WRITE_DOCS=1 cargo xtask test e2e writes it anew. -->

The built Worker and a certified OpenID client (\`openid-client\`, with signature checks on) log in at the same
provider, which is a certified one with one thing wrong at a time. Whatever the certified client refuses, this
server refuses. What this server refuses beyond that is marked and explained at the end.

*What comes of it* is the page that the person sees, or the error that their client is told. *The log* is the
Worker's own line about it: a reason, and which check failed.`,
    ...tables,
    `## Where this server is stricter\n\n${stricter.join('\n')}`,
  ].join('\n\n')}\n`;
}
