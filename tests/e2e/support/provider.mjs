/** The local OpenID provider as a child process, and its knobs. */
import { fileURLToPath } from 'node:url';
import { Running } from './processes.mjs';

const program = fileURLToPath(new URL('../../../dev/openid/provider.mjs', import.meta.url));

/** Starts a provider for the Worker at `worker`; resolves once it answers. */
export async function startProvider({ port, worker }) {
  const running = new Running(process.execPath, [program, '--port', String(port), '--worker', worker]);
  const [, issuer] = await running.ready(/ready (\S+)/, 20_000);
  return {
    issuer,
    /** Takes these knobs, and defaults for the others. */
    async knobs(values) {
      const response = await fetch(`${issuer}/__knobs`, { method: 'PUT', body: JSON.stringify(values) });
      if (!response.ok) throw new Error(`knobs: ${await response.text()}`);
    },
    /** The codes, tokens and verifiers that it handed out or was shown. */
    async secrets() {
      return (await (await fetch(`${issuer}/__seen`)).json()).secrets;
    },
    stop: () => running.stop(),
  };
}
