/**
 * Prints a bearer token for a running server: registers a client, asks for authorization, presses the buttons of the
 * consent and login pages as the given user, and redeems the code. For `curl`, scripts and load tests.
 *
 *   node dev/token.mjs --user owner@example.test [--read-only] [--server http://localhost:8787]
 *
 * The person who presses the buttons is the one of the end-to-end tests.
 */
import { parseArgs } from 'node:util';
import { signIn } from '../tests/e2e/support/oauth.mjs';

const { values } = parseArgs({
  options: {
    user: { type: 'string' },
    'read-only': { type: 'boolean', default: false },
    server: { type: 'string', default: 'http://localhost:8787' },
  },
});

/** Node's fetch says only "fetch failed"; the reason is its cause. */
const reason = (error) => (error.cause?.code === 'ECONNREFUSED' ? `nothing answers at ${values.server}: start \`cargo xtask dev\`` : (error.cause ?? error).message);

if (!values.user) {
  console.error('usage: node dev/token.mjs --user U [--read-only] [--server URL]');
  process.exit(2);
}
try {
  const { access_token } = await signIn(new URL(values.server).origin, { user: values.user, readOnly: values['read-only'] });
  console.log(access_token);
} catch (error) {
  console.error(`no token for ${values.user}: ${reason(error)}`);
  process.exit(1);
}
