import { answerOf } from '../../lab/answer/answer.ts'
import { faultReply } from '../../lab/fault/apply.ts'
import { ANSWER_DEFAULT } from '../../lab/lab.ts'
import { HTML_TYPE, type Reply } from '../../lab/reply.ts'
import { json, page, type ReplyFault, worded } from './field-faults.ts'

/** Trouble of what forwards a request, and of servers that break down while they answer. */
export const EDGE_FAULTS = {
  mesh_unreachable: {
    summary: '503 of a service mesh, as plain text',
    expected: { class: 'transient', kind: 'network' },
    reply: () =>
      text(
        503,
        'upstream connect error or disconnect/reset before headers. reset reason: connection failure, transport failure reason: delayed connect error: 111',
      ),
  },
  gateway_cannot_resolve: {
    summary: '502 of a gateway that cannot resolve the vendor',
    expected: { class: 'transient', kind: 'dns' },
    reply: () =>
      json(502, { error: { message: 'getaddrinfo EAI_AGAIN api.lab.example', type: 'upstream_error' } }),
  },
  deadline_of_gateway: {
    summary: '504 of an RPC gateway',
    expected: { class: 'timeout', kind: 'gateway_timeout' },
    reply: () => json(504, { code: 4, message: 'context deadline exceeded', details: [] }),
  },
  origin_down: {
    summary: "521: Cloudflare's origin is down",
    expected: { class: 'transient', kind: 'server_error' },
    reply: () => page(521, 'Web server is down', { server: 'cloudflare' }),
  },
  request_blocked: {
    summary: '403 with a page of CloudFront: a firewall blocks the request',
    expected: { class: 'permanent', kind: 'forbidden' },
    reply: () => ({
      status: 403,
      headers: { 'content-type': HTML_TYPE, server: 'CloudFront', 'x-cache': 'Error from cloudfront' },
      parts: [
        "<!DOCTYPE HTML><HTML><HEAD><TITLE>ERROR: The request could not be satisfied</TITLE></HEAD><BODY><H1>403 ERROR</H1><H2>The request could not be satisfied.</H2><HR>Request blocked. We can't connect to the server for this app or website at this time.</BODY></HTML>\n",
      ],
    }),
  },
  browser_challenge: {
    summary: '403 with a page that only a browser can pass',
    expected: { class: 'permanent', kind: 'forbidden' },
    reply: () => ({
      status: 403,
      headers: { 'content-type': HTML_TYPE, server: 'cloudflare', 'cf-mitigated': 'challenge' },
      parts: [
        '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head><body><noscript>Enable JavaScript and cookies to continue</noscript></body></html>\n',
      ],
    }),
  },
  wrong_method: {
    summary: '405: the address is not that of an API',
    expected: { class: 'permanent', kind: 'config' },
    reply: () => page(405, 'Not Allowed', { allow: 'GET, HEAD' }),
  },
  announced_maintenance: {
    summary: '503 as JSON: maintenance until a time of day',
    expected: { class: 'transient', kind: 'overloaded' },
    reply: () =>
      json(503, { detail: 'Scheduled maintenance in progress. We expect to be back at 23:30 UTC.' }),
  },
  engine_dead: {
    summary: '500 of a local server whose engine has died',
    expected: { class: 'transient', kind: 'server_error' },
    reply: () =>
      json(500, {
        object: 'error',
        message: 'EngineCore encountered an issue. See stack trace (above) for the root cause.',
        type: 'InternalServerError',
        param: null,
        code: 500,
      }),
  },
  short_of_its_length: {
    summary: 'the body ends before the length that its header states',
    expected: { class: 'transient', kind: 'stream_cut' },
    reply: facts => {
      const { parts, headers, status } = answerOf(facts, { ends: 'stop', text: ANSWER_DEFAULT })
      const whole = parts.join('')
      return {
        status,
        headers: { ...headers, 'content-length': String(Buffer.byteLength(whole)) },
        parts: [whole.slice(0, 40), whole.slice(40)],
        delivery: { kind: 'cut', parts: 1 },
      }
    },
  },
  balance_in_stream: {
    summary: 'an error event before any content: the credit is used up',
    expected: { class: 'throttle', kind: 'billing' },
    reply: facts => {
      const whole = faultReply(facts, { fault: 'insufficient_quota', inStream: true }, '')
      return { ...whole, parts: whole.parts.slice(-1) }
    },
  },
  unsupported_parameter: worded(
    '400: the model does not take a parameter',
    { class: 'permanent', kind: 'invalid_request' },
    400,
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    { anthropic: 'invalid_request_error', openai: 'unsupported_parameter', gemini: 'INVALID_ARGUMENT' },
  ),
} satisfies Record<string, ReplyFault>

function text(status: number, body: string): Reply {
  return { status, headers: { 'content-type': 'text/plain' }, parts: [body] }
}
