/** The Worker's judgement of a login: whether it let the person in, what they saw, and what its log says. */
import { setTimeout as sleep } from 'node:timers/promises';
import { McpClient } from '../support/mcp.mjs';
import { authorize, exchange } from '../support/oauth.mjs';

/** The last event of `log` about how a login ended, or undefined. */
function lastEvent(log) {
  const events = log
    .split('\n')
    .filter((line) => /^\{.*"endpoint":/.test(line))
    .map((line) => JSON.parse(line));
  return events.findLast(({ endpoint, reason }) => endpoint === 'callback' || reason.startsWith('provider_'));
}

/** The event that ended a login, in what the Worker logs after `offset`: by a pipe of its own, after the answer. */
export async function eventSince(worker, offset) {
  for (let waited = 0; waited < 5_000; waited += 20) {
    const event = lastEvent(worker.output.slice(offset));
    if (event) return event;
    await sleep(20);
  }
  throw new Error(`no event in the log:\n${worker.output.slice(offset)}`);
}

/** A detail without what its reason says already, and without this run's port. */
const short = (detail, issuer) =>
  detail
    .replace(/^the login provider('s answer was refused| is unavailable): /, '')
    .replaceAll(issuer, 'ISSUER');

const heading = (html) => /<h1>(.*?)<\/h1>/s.exec(html)?.[1] ?? '(no heading)';

/**
 * One login at the Worker of `stack` as the owner: `{accepted, seen, logged}`. Accepted is whoever has a token and is
 * offered tools with it.
 */
export async function verdict(stack) {
  const offset = stack.worker.output.length;
  const { callback, page, request } = await authorize(stack.url);
  const { reason, detail } = await eventSince(stack.worker, offset);
  const logged = detail === undefined ? reason : `${reason}: ${short(detail, stack.provider.issuer)}`;
  if (page) return { accepted: false, seen: `page ${page.status}, “${heading(page.html)}”`, logged };
  const code = callback.searchParams.get('code');
  if (code === null) return { accepted: false, seen: `\`${callback.searchParams.get('error')}\``, logged };
  const { body } = await exchange(stack.url, request, code);
  const { tools } = await new McpClient(stack.mcp, body.access_token).result('tools/list');
  if (tools.length === 0) throw new Error('a login without tools');
  return { accepted: true, seen: 'the tools', logged };
}
