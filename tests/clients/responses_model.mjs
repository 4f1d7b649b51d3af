/** A scripted stand-in for OpenAI's Responses API: plays a fixed list of tool calls and then says it is done. */
import { createServer } from 'node:http';
import { readBody } from '../../dev/openid/body.mjs';
import { serve } from '../e2e/support/model.mjs';

const MAXIMUM_BODY = 32 * 1024 * 1024;
const usage = {
  input_tokens: 1,
  output_tokens: 1,
  total_tokens: 2,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
};

/** The offered tool whose name ends in `tool`, as a call names it: some clients group a server's tools in a namespace. */
function named(tool, offered) {
  for (const { type, name, tools = [] } of offered) {
    if (type === 'namespace' && tools.some((inner) => inner.name === tool))
      return { namespace: name, name: tool };
    if (type === 'function' && name.endsWith(tool)) return { name };
  }
  throw new Error(`${tool} is not offered: ${JSON.stringify(offered.map(({ name }) => name))}`);
}

/** Starts it on a free port. Each step is `{tool, input}`; `results` are the texts that the calls came back with. */
export async function startResponsesModel(steps) {
  const model = { results: [], url: '' };
  const server = createServer(async (request, response) => {
    const body = await readBody(request, MAXIMUM_BODY);
    if (request.method !== 'POST' || !request.url.includes('/responses'))
      return response.writeHead(404).end('{}');
    const { input = [], tools = [] } = JSON.parse(body);
    const outputs = input.filter(({ type }) => type === 'function_call_output');
    model.results = outputs.map(({ output }) =>
      typeof output === 'string' ? output : JSON.stringify(output),
    );
    const step = steps[outputs.length];
    const item = step
      ? {
          type: 'function_call',
          id: `fc_${outputs.length}`,
          call_id: `call_${outputs.length}`,
          ...named(step.tool, tools),
          arguments: JSON.stringify(step.input),
          status: 'completed',
        }
      : {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'done', annotations: [] }],
        };
    const id = `resp_${outputs.length}`;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of [
      { type: 'response.created', response: { id, status: 'in_progress', output: [] } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id, status: 'completed', output: [item], usage } },
    ])
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  return serve(server, model);
}
