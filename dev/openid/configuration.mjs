/** Configuration of the certified provider: one confidential client, code flow with PKCE, scopes openid and email. */
import { randomBytes } from 'node:crypto';
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';
import { SESSION_COOKIE } from './interaction.mjs';
import { errorPage, sendPage } from './pages.mjs';
import { userBySub } from './users.mjs';

/** The Worker's credentials here; `.dev.vars.example` holds the same. */
export const CLIENT_ID = 'vault-mcp-local';
/** See [`CLIENT_ID`]. */
export const CLIENT_SECRET = 'local-openid-client-secret-0123456789';

const MINUTES = 60;

/** Claims of one user as the knobs have it; `use` is where they go: "id_token" or "userinfo". */
function claimsOf(user, knobs, use) {
  const claims = { sub: user.sub, ...user.claims };
  if (use === 'id_token' && knobs.get('email_claims') === 'userinfo') return claims;
  const email = knobs.get('email') === undefined ? user.email : knobs.get('email');
  const verified =
    knobs.get('email_verified') === undefined ? user.emailVerified : knobs.get('email_verified');
  if (email !== null) claims.email = email;
  if (verified !== null) claims.email_verified = verified;
  return claims;
}

/** Everything asked for is granted: a login is one click. */
async function grantAll(ctx) {
  const { client, session, provider } = ctx.oidc;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope('openid email');
  await grant.save();
  return grant;
}

/** Options of `new Provider(issuer, …)` for one Worker, whose redirect URI is `callback`, and for these users. */
export function configuration({
  callback,
  knobs,
  keys,
  users,
  client = { id: CLIENT_ID, secret: CLIENT_SECRET },
}) {
  return {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [callback],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    // The default too; naming it says that losing everything at a restart is meant.
    adapter: createMemoryAdapter(0),
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic'],
    jwks: { keys: [keys.first.privateJwk] },
    scopes: ['openid', 'email'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    // E-mail facts in the ID token, where most providers put them.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    interactions: { url: (ctx, { uid }) => `/interaction/${uid}` },
    loadExistingGrant: grantAll,
    cookies: { keys: [randomBytes(32).toString('hex')], names: { session: SESSION_COOKIE } },
    ttl: {
      AccessToken: 10 * MINUTES,
      AuthorizationCode: MINUTES,
      Grant: 10 * MINUTES,
      IdToken: 10 * MINUTES,
      Interaction: 10 * MINUTES,
      Session: 10 * MINUTES,
    },
    findAccount: (ctx, sub) => {
      const user = userBySub(users, sub);
      return user && { accountId: sub, claims: (use) => claimsOf(user, knobs, use) };
    },
    renderError: (ctx, out) => sendPage(ctx, ctx.status, errorPage(out)),
  };
}
