/**
 * A login by `openid-client`, whose implementation of OpenID Connect is certified: what the local provider is held
 * to, and what the Worker's judgement of a misbehaving one is compared with.
 */
import * as client from 'openid-client';
import { CLIENT_ID, CLIENT_SECRET } from '../../../dev/openid/configuration.mjs';
import { Browserless } from './cookies.mjs';
import { onlyForm, submission } from './forms.mjs';

/** Follows a login from the authorization URL to the redirect back; returns that redirect and the hops before it. */
export async function follow(url, button, callback, browser = new Browserless()) {
  const hops = [];
  for (let next = url; hops.length < 10;) {
    hops.push(next);
    const response = await browser.fetch(next);
    let location = response.headers.get('location');
    if (!location) {
      const form = onlyForm(await response.text(), next);
      const answer = await browser.fetch(form.action, {
        method: form.method,
        body: submission(form, button),
      });
      location = answer.headers.get('location');
      if (!location) throw new Error(`no redirect after the form: ${answer.status}`);
    }
    next = new URL(location, next).href;
    if (next.startsWith(callback)) return { back: new URL(next), hops };
  }
  throw new Error(`no way back:\n${hops.join('\n')}`);
}

/**
 * A whole login at `issuer`, as the client that is called back at `callback`: the claims of the ID token, and those
 * of userinfo, which is asked always or, as `needsUserinfo` has it, where the ID token says too little.
 *
 * Signatures are checked. Left alone, the client trusts an ID token that comes straight from the token endpoint.
 */
export async function logIn({
  issuer,
  callback,
  user = 'owner@example.test',
  browser,
  needsUserinfo = () => true,
}) {
  const config = await client.discovery(
    new URL(issuer),
    CLIENT_ID,
    undefined,
    client.ClientSecretBasic(CLIENT_SECRET),
    { execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks] },
  );
  const [verifier, nonce, state] = [
    client.randomPKCECodeVerifier(),
    client.randomNonce(),
    client.randomState(),
  ];
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: 'openid email',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    nonce,
    state,
  });
  const { back, hops } = await follow(url.href, { name: 'login', value: user }, callback, browser);
  const tokens = await client.authorizationCodeGrant(config, back, {
    pkceCodeVerifier: verifier,
    expectedNonce: nonce,
    expectedState: state,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  const userinfo = needsUserinfo(claims)
    ? await client.fetchUserInfo(config, tokens.access_token, claims.sub)
    : undefined;
  return { claims, userinfo, hops, back };
}
