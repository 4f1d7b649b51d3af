/** What GitHub declares that it answers: `tests/fixtures/github-openapi`. */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { inRepository } from './places.mjs';

const { responses, $defs } = JSON.parse(
  readFileSync(inRepository('tests/fixtures/github-openapi/responses.json'), 'utf8'),
);

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $defs }, 'github');

/**
 * What every refusal has, though the schema of errors asks for less: recorded by pome-sh/digital-twins (issue 400) and in
 * the answers that `@octokit/fixtures` keeps.
 */
const REFUSAL = {
  type: 'object',
  required: ['message', 'documentation_url', 'status'],
  properties: {
    message: { type: 'string', minLength: 1 },
    documentation_url: { type: 'string', pattern: '^https://docs\\.github\\.com/' },
    status: { type: 'string', pattern: '^[45][0-9][0-9]$' },
  },
};

const validators = new Map();

/** `schema` as a function from a value to its faults, a sentence each. */
function compiled(schema) {
  const text = JSON.stringify(schema);
  if (!validators.has(text))
    validators.set(text, ajv.compile(JSON.parse(text.replaceAll('"#/$defs/', '"github#/$defs/'))));
  const validate = validators.get(text);
  return (value) =>
    validate(value) ? [] : validate.errors.map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
}

/** The ids of the operations whose answers are known. */
export const operations = Object.keys(responses);

/** Whether GitHub declares that the operation answers with this status. */
export const isDeclared = (operation, status) => String(status) in responses[operation];

/** What is wrong with a refusal of which GitHub declares nothing, or nothing more. */
export const faultsOfRefusal = ({ status, json }) => [
  ...compiled(REFUSAL)(json),
  ...(json?.status === String(status) ? [] : [`/status is ${json?.status} in an answer with ${status}`]),
];

/** What is wrong with an answer whose status is declared. */
export function faultsOf(operation, answer) {
  const { status, type, bytes, json, text } = answer;
  const declared = responses[operation][status];
  const types = Object.keys(declared);
  if (types.length === 0) return bytes.length === 0 ? [] : ['a body where none is declared'];
  // GitHub names the representation in a header of its own, and calls most of them JSON.
  const parameter = /param=(\w+)/.exec(answer.headers.get('x-github-media-type'))?.[1];
  const found = [`application/vnd.github.${parameter}`, type].find((one) => types.includes(one));
  if (!found) return [`is ${type}, which is not among ${types}`];
  const faults = compiled(declared[found])(json ?? text);
  return status < 400 ? faults : [...faults, ...faultsOfRefusal(answer)];
}
