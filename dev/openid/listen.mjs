/** Listening on this machine alone. */
import { createServer } from 'node:http';
import { once } from 'node:events';

/** Serves `handle` on `port` of 127.0.0.1, and of ::1 where the machine has it: `localhost` is both. */
export async function listen(handle, port) {
  const on = async (host) => {
    const server = createServer(handle).listen(port, host);
    await once(server, 'listening');
  };
  await on('127.0.0.1');
  await on('::1').catch((error) => {
    if (error.code !== 'EADDRNOTAVAIL' && error.code !== 'EAFNOSUPPORT') throw error;
  });
}
