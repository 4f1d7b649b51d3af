/** Asking who is there: the middleware behind `/interaction/:uid`, and the session rule. */
import { readBody } from './body.mjs';
import { loginPage, sendPage } from './pages.mjs';
import { userByEmail } from './users.mjs';

/** Name of the provider's session cookie. */
export const SESSION_COOKIE = 'local_openid_session';

/** Middleware: the login page with this title, and the answer to it. */
export const interaction =
  (provider, { title, users }) =>
  async (ctx, next) => {
    if (!ctx.path.startsWith('/interaction/')) return next();
    if (ctx.method === 'GET') {
      const { params } = await provider.interactionDetails(ctx.req, ctx.res);
      return sendPage(ctx, 200, loginPage({ title, action: ctx.path, client: params.client_id, users }));
    }
    if (ctx.method !== 'POST') {
      ctx.status = 405;
      ctx.set('Allow', 'GET, POST');
      return;
    }
    const form = new URLSearchParams(await readBody(ctx.req));
    const user = userByEmail(users, form.get('login'));
    if (!user && !form.has('cancel')) {
      ctx.status = 400;
      ctx.body = 'no such user';
      return;
    }
    const result = user
      ? // One click chooses the account too, where `prompt=select_account` asks for that.
        { login: { accountId: user.sub }, select_account: {} }
      : { error: 'access_denied', error_description: 'the person cancelled the login' };
    const location = await provider.interactionResult(ctx.req, ctx.res, result, {
      mergeWithLastSubmission: false,
    });
    ctx.status = 303;
    ctx.set('Location', location);
  };

/**
 * Middleware: every authorization starts without a session, so that one browser can be the owner now and the
 * stranger next, and two tabs can be both at once.
 */
export const forgetSession = async (ctx, next) => {
  const kept = (ctx.req.headers.cookie ?? '')
    .split(/;\s*/)
    .filter((pair) => !pair.startsWith(SESSION_COOKIE));
  if (ctx.path.startsWith('/auth')) ctx.req.headers.cookie = kept.join('; ');
  await next();
};
