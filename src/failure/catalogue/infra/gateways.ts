import { family } from '../rule.ts'
import { answer, words } from './example.ts'

const reset = (reason: string) =>
  answer(503, `upstream connect error or disconnect/reset before headers. reset reason: ${reason}`)

/** Proxies, meshes and hosting platforms in front of a service: what they say when it does not answer. */
export default family('proxy', {
  upstream_refused: {
    kind: 'network',
    rank: 'named',
    effect: 'none',
    why: 'the proxy never got a connection to the service behind it',
    when: [
      { says: ['reset reason (local|remote|) connection failure'] },
      {
        code: words(
          'connection_refused destination_unavailable destination_ip_unroutable destination_not_found',
          'proxy-status=',
        ),
      },
    ],
    example: answer(502, '', { 'proxy-status': 'proxy.example; error=connection_refused' }),
  },
  upstream_full: {
    kind: 'overloaded',
    rank: 'named',
    effect: 'none',
    why: 'the proxy or the service rejected the request before working on it',
    when: [
      {
        says: [
          'reset reason overflow',
          'reset reason overload manager reset',
          'reset reason (local|remote) refused stream reset',
        ],
      },
      { code: ['x-envoy-overloaded=true', 'proxy-status=connection_limit_reached'] },
    ],
    example: reset('overflow'),
  },
  upstream_name: {
    kind: 'dns',
    rank: 'cause',
    effect: 'none',
    why: 'the proxy cannot resolve the name of the service behind it',
    when: {
      code: [
        ...words('dns_error dns_timeout', 'proxy-status='),
        ...words(
          'dns_hostname_resolve_failed dns_hostname_not_found dns_hostname_server_error',
          'x-vercel-error=',
        ),
      ],
    },
    example: answer(502, '', { 'proxy-status': 'edge; error=dns_error' }),
  },
  upstream_tls: {
    kind: 'tls',
    rank: 'cause',
    why: 'the proxy refuses the certificate of the service behind it',
    when: { code: words('tls_certificate_error tls_protocol_error tls_alert_received', 'proxy-status=') },
    example: answer(502, '', { 'proxy-status': 'edge; error=tls_certificate_error' }),
  },
  timeout: {
    kind: 'gateway_timeout',
    rank: 'named',
    why: 'the proxy stopped waiting; the work behind it continues',
    when: [
      {
        code: [
          ...words(
            'function_invocation_timeout edge_function_invocation_timeout middleware_invocation_timeout',
            'x-vercel-error=',
          ),
          ...words('http_response_timeout connection_read_timeout connection_write_timeout', 'proxy-status='),
          'code=h12',
        ],
      },
      { says: ['stream timeout'] },
    ],
    example: 'stream timeout',
  },
  rate: {
    kind: 'rate_limit',
    rank: 'named',
    why: "the proxy's own rate limit",
    when: [
      { code: ['x-envoy-ratelimited=true', 'x-vercel-error=function_throttled'] },
      { says: ['local rate limited', 'function throttled', 'too many tls handshakes'] },
    ],
    example: answer(
      503,
      { error: { code: '503', message: 'The deployment is busy' } },
      { 'x-vercel-error': 'FUNCTION_THROTTLED' },
    ),
  },
  usage_plan: {
    kind: 'quota',
    rank: 'cause',
    why: "the quota of a usage plan in AWS's gateway is spent",
    when: { code: ['message=limit exceeded'], status: [429] },
    example: answer(429, { message: 'Limit Exceeded' }),
  },
  paused: {
    kind: 'config',
    rank: 'named',
    why: 'the owner paused the deployment, or it calls itself',
    when: [
      { code: words('deployment_paused infinite_loop_detected', 'x-vercel-error=') },
      { says: ['deployment paused', 'infinite loop detected'] },
    ],
    example: answer(503, 'x', { 'x-vercel-error': 'DEPLOYMENT_PAUSED' }),
  },
  temporary: {
    kind: 'server_error',
    rank: 'named',
    why: 'a load balancer or platform got no usable answer from the service',
    when: [
      {
        code: words(
          'function_invocation_failed no_response_from_function edge_function_invocation_failed',
          'x-vercel-error=',
        ),
      },
      {
        says: [
          'encountered a temporary error and could not complete',
          'the request could not be satisfied',
          'function invocation failed',
          'no response from function',
        ],
      },
    ],
    example: { message: 'it failed', 'x-vercel-error': 'function_invocation_failed' },
  },
  page_for_json: {
    kind: 'server_error',
    rank: 'said',
    why: 'the JSON parser quotes the start of what came instead: the page of a failing server',
    when: {
      says: [
        'unexpected token … (internal s|upstream c|upstream r|bad gatewa|service un|gateway ti|error code|server erro|proxy erro)',
      ],
    },
    example: new SyntaxError('Unexpected token \'I\', "Internal S"... is not valid JSON'),
  },
  limit_for_json: {
    kind: 'rate_limit',
    rank: 'said',
    why: 'the JSON parser quotes the start of what came instead: a plain 429',
    when: { says: ['unexpected token … (too many r|rate limit|ratelimit)'] },
    example: new SyntaxError('Unexpected token \'T\', "Too Many R"... is not valid JSON'),
  },
  dyno_cut: {
    kind: 'stream_cut',
    rank: 'named',
    why: 'the process behind the platform cut the answer off',
    when: [{ code: words('h13 h17 h18 h27 h28', 'code=') }, { says: ['pu02', 'pu03'] }],
    example: 'at=error code=H18 desc="Server Request Interrupted" method=GET path="/" status=503',
  },
  dyno_timeout: {
    kind: 'gateway_timeout',
    rank: 'named',
    why: 'the process behind the platform did not answer in time',
    when: [{ code: ['code=h15'] }, { says: ['pc05', 'pu01'] }],
    example: 'at=error code=H15 desc="Idle connection" method=GET path="/" status=503',
  },
})
