/**
 * What the guard adds to a call. Between two of the steps below lies one thing more, all of them by bare HTTP:
 *
 * - `health`: a page that needs nothing. What `wrangler dev` and the machine take by themselves.
 * - `no_token`: refused before anything is looked up.
 * - `dead_token`: a well-formed token that is no longer good. The one call of the object that keeps the grants.
 * - `refused`: a good token, and a call of a tool that is refused for its path. Nothing is asked of the vault.
 * - `tools_list`: a good token, and the tools.
 */
import { revoke, signIn } from '../../tests/e2e/support/oauth.mjs';
import { McpClient } from '../../tests/e2e/support/mcp.mjs';
import { round, series, spread } from './series.mjs';

export async function measureGuard({ stack, token, cpu, effort }) {
  const dead = await signIn(stack.url);
  await revoke(stack.url, dead.client_id, dead.access_token);
  const client = (bearer) => new McpClient(stack.mcp, bearer);
  const expecting = (status, mcp) => async () => {
    const answer = await mcp.request('tools/list');
    if (answer.status !== status) throw new Error(`tools/list: ${answer.status} instead of ${status}`);
  };
  const steps = {
    health: async () => (await fetch(`${stack.url}/healthz`)).text(),
    no_token: expecting(401, client()),
    dead_token: expecting(401, client(dead.access_token)),
    refused: async () => client(token).refusal('read_note', { path: '..' }),
    tools_list: expecting(200, client(token)),
  };
  const measured = {};
  for (const [name, step] of Object.entries(steps)) {
    await series(step, { count: 5 });
    cpu.restart();
    const samples = await series(step, { count: effort.calls, seconds: effort.seconds });
    measured[name] = { ...spread(samples), cpu_ms: cpu.perCall(samples.length) };
  }
  const { no_token: without, dead_token: looked } = measured;
  return {
    ...measured,
    adds: {
      p50: round(looked.p50 - without.p50),
      cpu_ms: looked.cpu_ms === undefined ? undefined : round(looked.cpu_ms - without.cpu_ms),
    },
  };
}
