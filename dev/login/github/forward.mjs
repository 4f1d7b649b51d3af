/** Whatever is not about logging in is the other look-alike's. */
import { request as send } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** Passes requests on to `origin`, and answers back, byte for byte. */
export const forward = (origin) => async (request, response, url) => {
  const outgoing = send(new URL(url.pathname + url.search, origin), {
    method: request.method,
    headers: { ...request.headers, host: new URL(origin).host },
  });
  const answered = new Promise((resolve, reject) => outgoing.once('response', resolve).once('error', reject));
  request.pipe(outgoing);
  const answer = await answered;
  response.writeHead(answer.statusCode, answer.rawHeaders);
  await pipeline(answer, response);
  return true;
};
