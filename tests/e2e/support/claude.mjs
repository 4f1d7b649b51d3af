/** The real Claude Code, pinned in package.json, with a home of its own and no network beyond loopback. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModel } from './model.mjs';
import { inRepository, nodeTool, pty } from './places.mjs';
import { run } from './processes.mjs';

/** An executable that clients take for a browser: the scripted person as `person` (the variables of person.mjs) has it. */
export function browserScript(directory, person = {}) {
  const path = join(directory, 'browser');
  const variables = Object.entries(person)
    .map(([key, value]) => `${key}='${value}' `)
    .join('');
  writeFileSync(
    path,
    `#!/bin/sh\n${variables}exec '${process.execPath}' '${inRepository('tests/e2e/support/person.mjs')}' "$@" >'${path}.log' 2>&1\n`,
  );
  chmodSync(path, 0o755);
  return path;
}

/** One installation of Claude Code with its own configuration. */
export class ClaudeCode {
  #home = mkdtempSync(join(tmpdir(), 'vault-mcp-claude-'));
  #project = join(this.#home, 'project');
  #env;

  constructor() {
    mkdirSync(this.#project);
    this.#env = {
      PATH: process.env.PATH,
      HOME: this.#home,
      CLAUDE_CONFIG_DIR: join(this.#home, '.claude'),
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    };
  }

  #run(args, { env, terminal = false, ...options } = {}) {
    const command = terminal ? [pty(), '--', nodeTool('claude')] : [nodeTool('claude')];
    return run(command[0], [...command.slice(1), ...args], {
      cwd: this.#project,
      env: { ...this.#env, ...env },
      timeout: 60_000,
      ...options,
    });
  }

  /** Another installation with all that this one has stored, credentials included. */
  copy() {
    const copy = new ClaudeCode();
    cpSync(this.#home, copy.#home, { recursive: true });
    return copy;
  }

  /** `claude mcp ARGS…`: exit code and output. */
  mcp(...args) {
    return this.#run(['mcp', ...args]);
  }

  /** What `claude mcp list` says about a server: "Connected", "Needs authentication", … */
  async status(name) {
    const { output } = await this.mcp('list');
    const [, status] = new RegExp(`^${name}: .* - . (.*)$`, 'm').exec(output) ?? [];
    if (!status) throw new Error(`nothing about ${name}: ${output}`);
    return status;
  }

  /**
   * `claude mcp login NAME` in a terminal, with a scripted person for a browser. What the person met follows in the
   * output.
   */
  async login(name, person) {
    const browser = browserScript(this.#home, person);
    // Standard input stays open: its end would be the terminal's.
    const options = { terminal: true, env: { BROWSER: browser }, input: null, timeout: 30_000 };
    const { code, output } = await this.#run(['mcp', 'login', name], options);
    const met = existsSync(`${browser}.log`)
      ? readFileSync(`${browser}.log`, 'utf8')
      : 'no browser was opened';
    return { code, output: `${output}\nbrowser: ${met}` };
  }

  /**
   * One agent turn in which the model makes these calls; all tools of the server are allowed. Returns the texts of
   * each tool's result as the model got them, and the names of the tools it was offered.
   */
  async turn(server, steps) {
    const model = await startModel(
      steps.map(({ tool, input }) => ({ name: `mcp__${server}__${tool}`, input })),
    );
    try {
      const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'none', ENABLE_TOOL_SEARCH: 'false' };
      const args = [
        '-p',
        'Do it.',
        '--output-format',
        'stream-json',
        '--verbose',
        '--allowedTools',
        `mcp__${server}`,
      ];
      const { code, output } = await this.#run(args, { env });
      const results = model.results.map(({ is_error: isError = false, content }) => ({
        isError,
        texts: typeof content === 'string' ? [content] : content.map((block) => block.text),
      }));
      return { code, output, results, offered: [...model.offered] };
    } finally {
      await model.stop();
    }
  }

  /** Forgets the installation. */
  remove() {
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
