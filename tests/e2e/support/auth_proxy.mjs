/**
 * A reverse proxy on loopback that adds a bearer token, for clients that have no option for one. All else passes
 * through as it is, header names and their order included; the proxy's own port in Host and Origin becomes the
 * server's, so that other hosts stay recognisable as such.
 */
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';

/** Starts it in front of the server at `port`. Returns its origin and the way to end it. */
export async function startAuthProxy(port, token) {
  const server = createServer((request, response) => {
    const own = `:${server.address().port}`;
    const headers = request.rawHeaders.map((text, i) => {
      const isValueOf = (name) => i % 2 === 1 && request.rawHeaders[i - 1].toLowerCase() === name;
      return (isValueOf('host') || isValueOf('origin')) && text.endsWith(own)
        ? text.slice(0, -own.length) + `:${port}`
        : text;
    });
    if (!request.headers.authorization) headers.push('Authorization', `Bearer ${token}`);
    const { method, url: path } = request;
    const upstream = send({ host: '127.0.0.1', port, method, path, headers, setHost: false }, (answer) => {
      response.writeHead(answer.statusCode, answer.rawHeaders);
      answer.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  }).listen(0, '127.0.0.1');
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
