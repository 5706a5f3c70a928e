import { family } from '../rule.ts'

const mcp = (code: number, message: string, extra: object = {}) =>
  Object.assign(new Error(`MCP error ${code}: ${message}`), { name: 'McpError', code, ...extra })
const answer = (code: number, message: string, status: number) => ({
  status,
  headers: {},
  body: { jsonrpc: '2.0', id: null, error: { code, message } },
})

/** JSON-RPC and the Model Context Protocol: codes that clients and servers use for different things. */
export default family('mcp', {
  unreadable: {
    kind: 'code_bug',
    rank: 'named',
    why: 'the message is not JSON; on stdio usually a server that prints its log there',
    when: { code: ['code=-32700'] },
    example: mcp(-32700, 'Parse error'),
  },
  invalid: {
    kind: 'invalid_request',
    rank: 'named',
    why: 'the request is malformed for the protocol',
    when: { code: ['code=-32600'], unless: ['request cancelled', 'request canceled'] },
    example: mcp(-32600, 'no'),
  },
  no_method: {
    kind: 'version_mismatch',
    rank: 'cause',
    why: 'the server does not know this method or parameter form: it speaks another version',
    when: { code: ['code=-32601'] },
    example: { message: 'it failed', code: -32601 },
  },
  output: {
    kind: 'code_bug',
    rank: 'cause',
    effect: 'maybe',
    why: "the tool's answer violates its own schema; the work was already done",
    when: {
      code: ['code=-32602'],
      says: [
        'output validation error',
        'no structured content was provided',
        'structured content does not match',
      ],
    },
    example: mcp(
      -32602,
      'Output validation error: Tool x has an output schema but no structured content was provided',
    ),
  },
  unknown_name: {
    kind: 'not_found',
    rank: 'named',
    why: 'there is no tool, prompt, resource or task of that name',
    when: [
      {
        code: ['code=-32602'],
        says: ['unknown (tool|prompt|resource|task)', '(tool|prompt|resource|task) … not found', 'not found'],
      },
      {
        code: ['code=-32002'],
        unless: ['subscription', 'plan', 'billing', 'rate limit', 'quota', 'requires'],
      },
    ],
    example: mcp(-32602, 'Unknown tool: forecast'),
  },
  arguments: {
    kind: 'invalid_request',
    rank: 'named',
    why: 'the arguments do not fit',
    when: { code: ['code=-32602'] },
    example: mcp(-32602, 'no'),
  },
  internal: {
    kind: 'unknown',
    rank: 'said',
    why: 'the code for any error inside a server; alone it says nothing',
    when: [
      { code: ['mcp=-32603 internal error'] },
      {
        code: ['message=internal error'],
        also: ['code=-32603'],
        unless: ['unavailable', 'bad gateway', 'timeout', 'status code', 'try again', 'not valid json'],
      },
    ],
    example: mcp(-32603, 'Internal error'),
  },
  session_gone: {
    kind: 'conflict',
    rank: 'named',
    effect: 'none',
    why: 'the server forgot the session; it accepts the call after a new initialisation',
    when: [
      {
        says: [
          'session not found',
          'session … (does not exist|expired|terminated|unknown)',
          'no valid session',
          'unknown session',
        ],
        code: ['code=-32001', 'code=-32000'],
      },
      {
        says: [
          '(streamable http error|posting to endpoint) … session not found',
          'mcp session (not found|expired|has expired|is invalid)',
        ],
      },
    ],
    example: answer(-32001, 'Session not found', 404),
  },
  stopped: {
    kind: 'aborted',
    rank: 'named',
    why: 'the client gave up the call for the reason given in the text',
    when: [
      { code: ['code=-32001'], unless: ['timed out', 'timeout', 'time out', 'session', 'header'] },
      { code: ['code=-32600'], says: ['request cancelled', 'request canceled'] },
    ],
    example: mcp(-32001, 'the caller went away'),
  },
  set_up: {
    kind: 'config',
    rank: 'named',
    why: 'client and server do not match: initialisation, session header, capability or content type',
    when: [
      { code: ['code=-32020', 'code=-32021'] },
      {
        says: [
          'server not initialized',
          'mcp session id header is required',
          'must accept both application json',
          'missing required client capability',
          'required for (tools|sampling|prompts|resources|elicitation|roots|logging|completion)',
          'streamable http error unexpected content type',
        ],
      },
    ],
    example: answer(-32000, 'Bad Request: Mcp-Session-Id header is required', 400),
  },
  version: {
    kind: 'version_mismatch',
    rank: 'cause',
    why: 'client and server share no protocol version',
    when: [
      { code: ['code=-32022'] },
      { says: ['unsupported protocol version', 'bad request unsupported protocol'] },
    ],
    example: mcp(-32022, 'no'),
  },
  one_stream: {
    class: 'permanent',
    kind: 'conflict',
    rank: 'named',
    why: 'a second listening stream, but the server allows only one',
    when: { says: ['only one sse stream'] },
    example: answer(-32000, 'Conflict: Only one SSE stream is allowed per session', 409),
  },
  person: {
    kind: 'auth',
    rank: 'named',
    why: 'a person must open a page before the server continues',
    when: [{ code: ['code=-32042'] }, { says: ['url elicitation required'] }],
    example: mcp(-32042, 'URL elicitation required'),
  },
  not_connected: {
    kind: 'network',
    rank: 'named',
    effect: 'none',
    why: 'the client is not connected to its server, so nothing was sent',
    when: { code: ['message=not connected'] },
    example: new Error('Not connected'),
  },
  given_up: {
    kind: 'network',
    rank: 'hint',
    why: 'the client stopped reconnecting; another line says why',
    when: { says: ['maximum reconnection attempts', 'failed to reconnect'] },
    example: new Error('Maximum reconnection attempts (2) exceeded.'),
  },
})
