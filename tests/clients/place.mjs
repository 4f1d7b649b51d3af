/** Where the further clients are: installed by `cargo xtask conformance --all`. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRepository } from '../e2e/support/places.mjs';

const folder = process.env.VAULT_MCP_CLIENTS ?? inRepository('target/clients');

const existing = (path) => {
  if (!existsSync(path)) throw new Error(`${path} is missing: run \`cargo xtask conformance --all\``);
  return path;
};

/** A program of one of the npm packages in package.json beside this file. */
export const npmProgram = (name) => existing(join(folder, 'npm/node_modules/.bin', name));

/** A file of an npm package. */
export const npmFile = (path) => existing(join(folder, 'npm/node_modules', path));

/** The installed version of an npm package. */
export const npmVersion = (name) => JSON.parse(readFileSync(npmFile(`${name}/package.json`), 'utf8')).version;

/** The Python that has what requirements.txt beside this file lists. */
export const python = () => existing(join(folder, 'python/bin/python'));

/** rmcp's client, which is built by cargo. */
export const rmcpClient = () =>
  existing(process.env.VAULT_MCP_RMCP_CLIENT ?? inRepository('target/debug/rmcp-client'));
