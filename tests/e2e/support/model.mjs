/**
 * A scripted stand-in for the Anthropic Messages API: plays a fixed list of tool calls and then says it is done, so
 * that the real Claude Code runs a whole agent turn without a model.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { readBody } from '../../../dev/openid/body.mjs';

const MAXIMUM_BODY = 32 * 1024 * 1024;
const usage = { input_tokens: 1, output_tokens: 1 };

const json = (response, status, body) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

/** The blocks of tool results in a conversation, in order. */
const toolResults = (messages) =>
  messages
    .flatMap((m) => (Array.isArray(m.content) ? m.content : []))
    .filter((block) => block.type === 'tool_result');

function stream(response, message, [block]) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type, data) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  send('message_start', { message: { ...message, content: [], stop_reason: null } });
  if (block.type === 'tool_use') {
    send('content_block_start', { index: 0, content_block: { ...block, input: {} } });
    send('content_block_delta', {
      index: 0,
      delta: { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
    });
  } else {
    send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
    send('content_block_delta', { index: 0, delta: { type: 'text_delta', text: block.text } });
  }
  send('content_block_stop', { index: 0 });
  send('message_delta', { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage });
  send('message_stop', {});
  response.end();
}

/** Gives `model` a free port, its `url` there, and `stop`. */
export async function serve(server, model) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  model.url = `http://127.0.0.1:${server.address().port}`;
  model.stop = () =>
    new Promise((done) => {
      server.closeAllConnections();
      server.close(done);
    });
  return model;
}

/**
 * Starts it on a free port. Each step is `{name, input}`. `offered` collects the names of the tools that requests
 * offer, and `results` holds the tool results that the model was given last.
 */
export async function startModel(steps) {
  const model = { offered: new Set(), results: [], url: '' };
  const server = createServer(async (request, response) => {
    const body = await readBody(request, MAXIMUM_BODY);
    if (request.url.includes('count_tokens')) return json(response, 200, { input_tokens: 10 });
    if (!request.url.startsWith('/v1/messages'))
      return json(response, 404, { type: 'error', error: { type: 'not_found_error', message: request.url } });
    const { messages, model: name, stream: streamed, tools = [] } = JSON.parse(body);
    // Claude Code asks for titles and the like without offering tools: those requests play no step.
    for (const tool of tools) model.offered.add(tool.name);
    const results = toolResults(messages);
    if (tools.length > 0) model.results = results;
    const step = tools.length > 0 ? steps[results.length] : undefined;
    const block = step
      ? { type: 'tool_use', id: `toolu_${results.length}`, ...step }
      : { type: 'text', text: 'done' };
    const message = {
      id: `msg_${Date.now()}`,
      type: 'message',
      role: 'assistant',
      model: name,
      content: [block],
      stop_reason: step ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage,
    };
    if (streamed) stream(response, message, [block]);
    else json(response, 200, message);
  });
  return serve(server, model);
}
