/** The web half: the login page of an OAuth app, and the exchange of its codes. */
import { readBody } from '../../openid/body.mjs';
import { errorPage, loginPage } from '../../openid/pages.mjs';
import { APP } from './accounts.mjs';
import { html, json, redirect } from './http.mjs';

const descriptions = Object.freeze({
  bad_verification_code: 'The code passed is incorrect or expired.',
  incorrect_client_credentials: 'The client_id and/or client_secret passed are incorrect.',
  redirect_uri_mismatch: 'The redirect_uri MUST match the registered callback URL for this application.',
  access_denied: 'The user has denied your application access.',
});

/** The host and port of the registered callback, and its path or one below it. */
function isRegistered(redirectUri, callback) {
  const [asked, registered] = [URL.parse(redirectUri), new URL(callback)];
  return (
    asked?.origin === registered.origin &&
    (asked.pathname === registered.pathname || asked.pathname.startsWith(`${registered.pathname}/`))
  );
}

/** Serves `/login/oauth/*`. */
export const oauth =
  ({ origin, callback, accounts, faults, grants, seen }) =>
  async (request, response, url) => {
    if (url.pathname === '/login/oauth/authorize') return authorize(request, response, url);
    if (url.pathname === '/login/oauth/access_token' && request.method === 'POST')
      return exchange(request, response, url);
    return false;

    /** GitHub tells an app its errors at the callback that was registered, not at the one that was asked for. */
    function comeBack(redirectUri, parameters) {
      const iss = faults.get('response_iss');
      const { error } = parameters;
      const target = redirect(response, redirectUri, {
        ...parameters,
        error_description: error && descriptions[error],
        state: url.searchParams.get('state'),
        iss: iss === undefined ? `${origin}/login/oauth` : iss,
      });
      seen.secrets(target.searchParams.get('code'));
      return true;
    }

    async function authorize() {
      const query = url.searchParams;
      if (query.get('client_id') !== APP.id)
        return html(response, 404, errorPage({ error: 'there is no such application' }));
      const redirectUri = query.get('redirect_uri') ?? callback;
      if (!isRegistered(redirectUri, callback)) return comeBack(callback, { error: 'redirect_uri_mismatch' });
      const challenge = query.get('code_challenge') ?? undefined;
      if (challenge !== undefined && query.get('code_challenge_method') !== 'S256')
        return html(response, 400, errorPage({ error: 'code_challenge_method is not S256' }));
      if (request.method === 'GET') return html(response, 200, page());

      const form = new URLSearchParams(await readBody(request));
      if (form.has('cancel')) return comeBack(callback, { error: 'access_denied' });
      const account = accounts.byLogin(form.get('login'));
      if (!account) return html(response, 400, errorPage({ error: 'there is no such account' }));
      return comeBack(redirectUri, {
        code: grants.issueCode({ account: account.id, redirectUri, challenge }),
      });
    }

    function page() {
      return loginPage({
        title: 'Sign in to GitHub',
        action: url.pathname + url.search,
        client: APP.name,
        users: [...accounts].map(({ login, type, name }) => ({
          email: login,
          about: [type, name].filter(Boolean).join(', '),
        })),
      });
    }

    async function exchange() {
      const status = faults.get('token_status');
      if (status !== undefined) return json(response, status, { message: 'a fault says so' });
      const body = new URLSearchParams(await readBody(request));
      const field = (name) => body.get(name) ?? undefined;
      const known = field('client_id') === APP.id && field('client_secret') === APP.secret;
      const { token, error } = !known
        ? { error: 'incorrect_client_credentials' }
        : faults.get('token_error') !== undefined
          ? { error: faults.get('token_error') }
          : grants.redeem({
              code: field('code'),
              redirectUri: field('redirect_uri'),
              verifier: field('code_verifier'),
            });
      seen.secrets(token, field('code_verifier'));
      const answer = error
        ? { error, error_description: descriptions[error] ?? error }
        : { access_token: token, token_type: 'bearer', scope: '' };
      // Errors too have status 200, and the default is a form, whatever was sent.
      if (request.headers.accept?.includes('application/json')) return json(response, 200, answer);
      response.writeHead(200, { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' });
      response.end(new URLSearchParams(answer).toString());
      return true;
    }
  };
