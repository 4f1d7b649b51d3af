/** What the conformance suite found, held to the list of what is expected. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Checks of the messages themselves: no reason excuses an invalid one. */
const WIRE = /^wire-schema-/;

/** The checks that a run wrote below `folder`, by scenario. */
export function checksIn(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('checks.json'));
  const scenarioOf = (file) =>
    file
      .split('/')
      .at(-2)
      .replace(/^server-|-\d{4}-\d\d-\d\dT[\d-]+Z$/g, '');
  const checks = new Map(
    files.map((file) => [scenarioOf(file), JSON.parse(readFileSync(join(folder, file), 'utf8'))]),
  );
  assert.equal(checks.size, files.length, 'every scenario ran once');
  return checks;
}

/** Scenario and check of every check that failed or was warned about, each once, with what was wrong. */
export function failuresOf(checks) {
  const failures = new Map();
  for (const [scenario, ofScenario] of checks)
    for (const { id, status, errorMessage, description } of ofScenario)
      if (status === 'FAILURE' || status === 'WARNING')
        failures.set(`${scenario}:${id}`, { scenario, id, message: errorMessage ?? description });
  return failures;
}

/** The entries of a list of expected failures, `SCENARIO:CHECK` or `SCENARIO`. Throws where one has no reason. */
export function readExpected(path) {
  const lines = readFileSync(path, 'utf8').split('\n');
  const entries = lines.filter((line) => !/^\s*(#.*)?$/.test(line) && line !== 'server:');
  return entries.map((line) => {
    const entry = /^ {2}- ([\w-]+(?::[\w-]+)?) # \S.*$/.exec(line);
    if (!entry) throw new Error(`${path}: not an entry with its reason: ${line}`);
    return entry[1];
  });
}

/** What is not as expected: failures that are not listed, and entries that do not fail. */
export function surprises(checks, expected) {
  const failures = failuresOf(checks);
  const listed = new Set(expected);
  const excused = ({ scenario, id }) =>
    !WIRE.test(id) && (listed.has(`${scenario}:${id}`) || listed.has(scenario));
  const unlisted = [...failures]
    .filter(([, failure]) => !excused(failure))
    .map(([name, { message }]) => `${name} fails: ${message}`);
  const failed = new Set(
    [...failures.values()].flatMap(({ scenario, id }) => [scenario, `${scenario}:${id}`]),
  );
  const stale = expected
    .filter((entry) => !failed.has(entry))
    .map((entry) => `${entry} is listed and does not fail`);
  const twice = expected.filter((entry, i) => expected.indexOf(entry) !== i).map((entry) => `${entry} twice`);
  return [...unlisted, ...stale, ...twice];
}
