/**
 * A reverse proxy on loopback: everything passes as it is, header names and their order included.
 *
 * It can change headers on the way (`auth_proxy.mjs`), and it can keep what passed (`exchanges.mjs`).
 */
import { once } from 'node:events';
import { Agent, createServer, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';

/** As much as the Worker takes; Node's own limit is lower. */
const MAXIMUM_HEADER_BYTES = 64 * 1024;

// An event stream may have been cut where a compressed block was not finished.
const CUT = { finishFlush: constants.Z_SYNC_FLUSH };
const DECODERS = {
  gzip: (bytes) => gunzipSync(bytes, CUT),
  deflate: (bytes) => inflateSync(bytes, CUT),
  br: (bytes) => brotliDecompressSync(bytes, { finishFlush: constants.BROTLI_OPERATION_FLUSH }),
};

/** The text of a body that came with that Content-Encoding. */
export const decoded = (bytes, encoding) =>
  (DECODERS[encoding] && bytes.length > 0 ? DECODERS[encoding](bytes) : bytes).toString('utf8');

/** Headers that tell of a body's bytes, not of what they say. */
const OF_THE_BYTES = ['content-length', 'content-encoding', 'transfer-encoding'];

/** Passes an answer on whose body is another one. */
async function passEdited(answer, response, edit) {
  const { statusCode, headers } = answer;
  const body = edit(decoded(await buffer(answer), headers['content-encoding']));
  const kept = Object.entries(headers).filter(([name]) => !OF_THE_BYTES.includes(name));
  response.writeHead(statusCode, Object.fromEntries(kept));
  response.end(body);
}

/**
 * Starts it on `port` (0 is any) in front of the server at `upstream` on this machine. `headers(raw, own)` are what is
 * sent on of a request's raw headers, `own` being the proxy's port. `watch(request)` is told of each request, and
 * returns what is told of its answer: `{request(chunk), answer(message), body(chunk)}`. `edit(path)` is what makes
 * another body of an answer's text, or undefined.
 */
export async function startProxy({
  port = 0,
  upstream,
  headers = (raw) => raw,
  watch = () => undefined,
  edit = () => undefined,
}) {
  // Connections that are kept would be closed under a request now and then, which no client would see without a proxy.
  const agent = new Agent({ keepAlive: false });
  const server = createServer({ maxHeaderSize: MAXIMUM_HEADER_BYTES }, (request, response) => {
    const watcher = watch(request);
    const { method, url: path } = request;
    const onward = send({
      ...{ host: '127.0.0.1', port: upstream, method, path, agent, setHost: false },
      headers: headers(request.rawHeaders, server.address().port),
      maxHeaderSize: MAXIMUM_HEADER_BYTES,
    });
    onward.on('response', (answer) => {
      watcher?.answer(answer);
      answer.on('data', (chunk) => watcher?.body(chunk));
      answer.on('error', () => response.destroy());
      const edited = edit(path);
      if (edited) return passEdited(answer, response, edited).catch(() => response.destroy());
      response.writeHead(answer.statusCode, answer.statusMessage, answer.rawHeaders);
      // An event stream's headers are worth something before its first event.
      response.flushHeaders();
      answer.pipe(response);
    });
    // A server may answer before it has read all of the request: the answer then counts.
    onward.on('error', () => response.headersSent || response.destroy());
    response.on('close', () => onward.destroy());
    request.on('data', (chunk) => watcher?.request(chunk));
    request.pipe(onward);
  });
  // Only clients end connections: none finds one closed that it was about to use.
  server.keepAliveTimeout = 0;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${server.address().port}`,
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(done);
      }),
  };
}
