import { expect, it } from 'vitest'
import { classify } from '../classify.ts'

// What vendors, tools and libraries say often, although no labelled set has it: a rule is not idle only because no set needs it.

const thrown = (message: string, fields: object = {}) => Object.assign(new Error(message), fields)
const answer = (status: number, body: unknown, headers = {}) => ({ status, headers, body })
const ran = (exitCode: number, stderr: string, stdout = '') => ({ exitCode, signal: null, stdout, stderr })
const claude = (fields: object) =>
  ran(1, '', JSON.stringify({ type: 'result', is_error: true, session_id: 's-1', num_turns: 1, ...fields }))

const UNSENT = 'Client network socket disconnected before secure TLS connection was established'
const NO_PACKAGE = 'ERROR: No matching distribution found for requests'
const broken = (by: string) =>
  `WARNING: Retrying (Retry(total=0)) after connection broken by '${by}': /simple/requests/\n${NO_PACKAGE}`
const responses = (status: number) =>
  `requests.exceptions.RetryError: Max retries exceeded with url: / (Caused by ResponseError('too many ${status} error responses'))`

it.each<[unknown, string, string?]>([
  // What did not pass through the network.
  [thrown(UNSENT, { code: 'ECONNRESET' }), 'transient/network, none'],
  ['Error: connect ENOENT /var/run/docker.sock', 'transient/network, maybe'],
  [thrown('queryA ECANCELLED x.com', { code: 'ECANCELLED' }), 'aborted/aborted, none'],
  [thrown('Proxy Authorization Required'), 'permanent/auth, maybe'],
  [
    thrown('Request body length does not match', { code: 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH' }),
    'permanent/code_bug, none',
  ],
  [thrown('redirected', { type: 'max-redirect' }), 'permanent/config, none'],
  [
    { name: 'SyntaxError', message: 'Unexpected token \'T\', "Too Many R"... is not valid JSON' },
    'throttle/rate_limit, maybe',
  ],
  // At the edge.
  [answer(429, 'error code: 1027', { server: 'cloudflare' }), 'throttle/quota, none'],
  [answer(403, 'error code: 1009', { server: 'cloudflare' }), 'permanent/unsupported_region, none'],
  [answer(530, 'error code: 1016', { server: 'cloudflare' }), 'permanent/config, maybe'],
  [answer(503, '', { 'x-vercel-error': 'DEPLOYMENT_PAUSED' }), 'permanent/config, none'],
  [answer(503, '', { 'x-envoy-overloaded': 'true' }), 'transient/overloaded, none'],
  [answer(429, { message: 'Limit Exceeded' }), 'throttle/quota, none'],
  [answer(999, 'Request denied'), 'permanent/forbidden, none'],
  // Programs.
  [ran(1, broken('NameResolutionError("failed to resolve")')), 'transient/dns, maybe'],
  [ran(1, broken("SSLError(SSLCertVerificationError(1, 'x'))")), 'permanent/tls, maybe'],
  [responses(429), 'throttle/rate_limit, maybe'],
  ["FileNotFoundError: [Errno 2] No such file or directory: 'claude'", 'permanent/binary_not_found, maybe'],
  [ran(100, 'E: Unable to correct problems, you have held broken packages.'), 'permanent/config, maybe'],
  [ran(47, 'curl: (47) Maximum (50) redirects followed'), 'permanent/config, maybe'],
  [ran(37, "curl: (37) Couldn't open file /x"), 'permanent/not_found, maybe'],
  [ran(77, ''), 'permanent/permission, maybe'],
  [thrown('spawnSync git ENOBUFS', { code: 'ENOBUFS', syscall: 'spawnSync git' }), 'rail/max_size, maybe'],
  // Databases.
  ['sqlite3.IntegrityError: FOREIGN KEY constraint failed', 'permanent/invalid_request, maybe'],
  [thrown('interrupted', { code: 'SQLITE_INTERRUPT' }), 'aborted/aborted, none'],
  [thrown('x', { code: 'ER_USER_LIMIT_REACHED', errno: 1226, sqlState: '42000' }), 'throttle/quota, none'],
  [thrown('x', { code: 'ER_HOST_IS_BLOCKED', errno: 1129, sqlState: 'HY000' }), 'permanent/forbidden, none'],
  ["ERROR 2005 (HY000): Unknown MySQL server host 'db' (-2)", 'transient/dns, maybe'],
  [
    { name: 'MongoServerSelectionError', message: 'Server selection timed out after 30000 ms' },
    'timeout/connect_timeout, none',
  ],
  // Services.
  [
    thrown('1 CANCELLED: Received RST_STREAM with code 8', {
      code: 1,
      details: 'Received RST_STREAM with code 8',
      metadata: {},
    }),
    'transient/stream_cut, maybe',
  ],
  [answer(409, { error: { code: 409, status: 'ABORTED', message: 'aborted' } }), 'transient/conflict, none'],
  [thrown('Maximum reconnection attempts (2) exceeded.'), 'transient/network, maybe'],
  [
    thrown('Message failed: 554 5.7.1 rejected as spam', { code: 'EMESSAGE', responseCode: 554 }),
    'permanent/content_policy, maybe',
  ],
  [
    thrown('No recipients defined', { code: 'EENVELOPE', command: 'API' }),
    'permanent/invalid_request, maybe',
  ],
  [answer(400, { error: 'unsupported_grant_type' }), 'permanent/config, none'],
  // Vendors.
  [answer(400, { message: 'too many tokens: at most 4081' }), 'permanent/context_overflow, none'],
  [answer(498, { message: 'invalid token' }), 'permanent/content_policy, none', 'cohere'],
  [
    answer(400, { error: { code: '1261', message: 'Prompt 超长' } }),
    'permanent/context_overflow, none',
    'zhipu',
  ],
  [answer(424, ''), 'transient/server_error, maybe', 'copilot'],
  [answer(403, { error: { message: 'Your membership benefits have expired' } }), 'throttle/billing, none'],
  // Agents.
  [claude({ terminal_reason: 'malformed_tool_use_exhausted' }), 'transient/bad_json, maybe'],
  [claude({ num_turns: 0, errors: [], startup_failure_reason: 'org_mismatch' }), 'permanent/auth, maybe'],
  [
    claude({ result: 'Image was too large. Double press esc to go back and try again.' }),
    'permanent/context_overflow, maybe',
  ],
  [ran(1, 'Error: no rollout found for thread id 0199a213'), 'permanent/not_found, maybe'],
  [ran(1, 'Error: verify your account to continue'), 'permanent/forbidden, maybe'],
])('%j is %s', (input, expected, provider?: string) => {
  const failure = classify(input, { provider })
  expect(`${failure?.class}/${failure?.kind}, ${failure?.effect}`).toBe(expected)
})
