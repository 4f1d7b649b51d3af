/** The part of the REST API that tokens of a login are used for. */
import { readBody } from '../../openid/body.mjs';
import { APP } from './accounts.mjs';
import { apiError, json } from './http.mjs';

/** Tokens of OAuth apps begin so; those of the vault do not. */
const LOGIN_TOKEN = /^(?:Bearer|token) (gho_\w+)$/i;

const publicProfile = ({ login, id, type, name }, origin) => ({
  login,
  id,
  node_id: Buffer.from(`04:User${id}`).toString('base64'),
  avatar_url: `${origin}/avatars/${id}`,
  gravatar_id: '',
  url: `${origin}/users/${login}`,
  html_url: `${origin}/${login}`,
  type,
  user_view_type: 'public',
  site_admin: false,
  name,
  company: null,
  blog: '',
  location: null,
  email: null,
  hireable: null,
  bio: null,
  public_repos: 0,
  public_gists: 0,
  followers: 0,
  following: 0,
  created_at: '2020-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
});

/** Serves `GET /user` for tokens of a login, and the deletion of such a token by the app that it was given to. */
export const api =
  ({ origin, accounts, faults, grants }) =>
  async (request, response, url) => {
    const token = LOGIN_TOKEN.exec(request.headers.authorization ?? '')?.[1];
    const deletes = request.method === 'DELETE' && url.pathname === `/applications/${APP.id}/token`;
    if (token === undefined && !deletes) return false;
    if (!request.headers['user-agent'])
      return apiError(response, 403, 'Request forbidden by administrative rules.');
    return deletes ? deletion() : profile();

    function profile() {
      const status = faults.get('user_status');
      if (status !== undefined) return apiError(response, status, 'a fault says so');
      const account = accounts.byId(grants.accountOf(token));
      if (!account) return apiError(response, 401, 'Bad credentials');
      if (request.method !== 'GET' || url.pathname !== '/user') return apiError(response, 404, 'Not Found');
      return json(response, 200, publicProfile(account, origin));
    }

    async function deletion() {
      const status = faults.get('delete_status');
      if (status !== undefined) return apiError(response, status, 'a fault says so');
      const credential = Buffer.from(`${APP.id}:${APP.secret}`).toString('base64');
      if (request.headers.authorization !== `Basic ${credential}`)
        return apiError(response, 404, 'Not Found');
      const { access_token: doomed } = JSON.parse(await readBody(request));
      if (!grants.delete(doomed)) return apiError(response, 404, 'Not Found');
      response.writeHead(204);
      response.end();
      return true;
    }
  };
