/** What a client did, read off the wire: its own word for it does not count. */
import { messageIn } from '../e2e/support/mcp.mjs';

/** What can be proved, in the order of the table. */
export const STEPS = ['login', 'list', 'call', 'refresh', 'logout'];

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Method, token, protocol version and result of a message to the MCP endpoint that was answered. */
function mcpCall(exchange) {
  const sent = parsed(exchange.sent);
  if (!/^\/mcp\/?$/.test(exchange.path) || exchange.status !== 200 || !sent?.method) return undefined;
  const answer = messageIn(exchange.body, exchange.header('content-type')[0]);
  const [authorization = ''] = exchange.sentHeader('authorization');
  return {
    method: sent.method,
    token: authorization.replace(/^bearer /i, ''),
    version: sent.params?.protocolVersion ?? exchange.sentHeader('mcp-protocol-version')[0],
    result: answer?.result,
  };
}

/** A person's login or the refresh of one, as the token endpoint answered it. */
const granted = (exchanges, grantType) =>
  exchanges.filter(
    ({ path, status, fields }) =>
      path === '/token' && status === 200 && fields.get('grant_type') === grantType,
  );

const identification = (exchanges) => {
  const [asked] = exchanges.filter(({ path }) => path === '/authorize');
  const id = asked?.query.get('client_id') ?? '';
  if (id.startsWith('https://')) return 'document';
  const registered = exchanges.some(
    ({ path, status, json }) => path === '/register' && status === 201 && json.client_id === id,
  );
  return registered ? 'registration' : 'nothing';
};

const isRefreshToken = (token) => token?.startsWith('vmcp_rt_') ?? false;

/**
 * What these exchanges of one client prove: how it identified itself (`registration` or `document`), the protocol
 * versions that it called tools with, and which of `STEPS` it took.
 */
export function proofOf(exchanges) {
  const logins = granted(exchanges, 'authorization_code');
  const refreshes = granted(exchanges, 'refresh_token');
  const calls = exchanges.map(mcpCall).filter(Boolean);
  const worked = calls.filter(({ method, result }) => method === 'tools/call' && result && !result.isError);
  const renewed = new Set(refreshes.map(({ json }) => json.access_token));
  const took = {
    login: logins.length > 0,
    list: calls.some(({ method, result }) => method === 'tools/list' && result?.tools.length > 0),
    call: worked.length > 0,
    // New tokens prove nothing before they are used.
    refresh: calls.some(({ token, result }) => renewed.has(token) && result),
    logout: exchanges.some(
      ({ path, status, fields }) =>
        path === '/revoke' && status === 200 && isRefreshToken(fields.get('token')),
    ),
  };
  return {
    identification: identification(exchanges),
    versions: [...new Set(worked.map(({ version }) => version))].sort(),
    steps: STEPS.filter((step) => took[step]),
  };
}
