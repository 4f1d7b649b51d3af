/** Where things are: the repository, what was built, and the programs that the tests run. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Absolute path of something in the repository. */
export const inRepository = (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

const program = (variable, fallback, how) => {
  const path = process.env[variable] ?? inRepository(fallback);
  if (!existsSync(path)) throw new Error(`${path} is missing: ${how}`);
  return path;
};

const cargo = (name) =>
  `run \`cargo build -p vault-mcp-dev --bin ${name}\`, or \`cargo xtask test e2e\`, which does`;

/** The GitHub look-alike. */
export const lookAlike = () =>
  program('VAULT_MCP_LOOK_ALIKE', 'target/debug/look-alike', cargo('look-alike'));

/** Runs a command in a pseudo-terminal. */
export const pty = () => program('VAULT_MCP_PTY', 'target/debug/pty', cargo('pty'));

/** A program of one of the npm packages in package.json. */
export const nodeTool = (name) => program('', `node_modules/.bin/${name}`, 'run `npm ci`');

/** A Python with what tests/e2e/python/requirements.txt lists; see `noPython`. */
export const python = process.env.VAULT_MCP_PYTHON ?? inRepository('target/python/bin/python');

/** Why there is no such Python, or false where there is one: the value of a test's `skip`. */
export const noPython = existsSync(python)
  ? false
  : `no ${python}: install Python 3.10 or newer with venv, and run \`cargo xtask test e2e\``;

/** The environment for programs that find `node` by PATH: the Node that runs the tests comes first. */
export const nodeFirst = { ...process.env, PATH: `${inRepository('node_modules/.bin')}:${process.env.PATH}` };
