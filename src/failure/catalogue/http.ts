import { family } from './rule.ts'

const answer = (status: number, body: unknown = '') => ({ status, headers: {}, body })

/** HTTP statuses, when nothing in the answer says more. The body always beats them, spent money excepted. */
export default family('http', {
  payment: {
    kind: 'billing',
    rank: 'cause',
    why: '402 is used for money by every vendor, also where the text speaks of tokens',
    when: { status: [402] },
    example: answer(402),
  },
  too_many: { kind: 'rate_limit', rank: 'named', why: '429: too much in a window', when: { status: [429] }, example: answer(429) },
  overloaded: {
    kind: 'overloaded',
    rank: 'named',
    effect: 'none',
    why: '529 is the status for a service that is overloaded for everybody',
    when: { status: [529] },
    example: answer(529),
  },
  login: { kind: 'auth', rank: 'named', why: '401: the login is refused; 407: that of the proxy; 511: that of the network', when: { status: [401, 407, 511] }, example: answer(401) },
  forbidden: { kind: 'forbidden', rank: 'hint', why: '403: known but not allowed', when: { status: [403, 999] }, example: answer(403) },
  not_found: { kind: 'not_found', rank: 'hint', why: '404 and 410: not there', when: { status: [404, 410] }, example: answer(404) },
  request_timeout: { kind: 'timeout', rank: 'named', why: '408: the server gave up waiting', when: { status: [408] }, example: answer(408) },
  gateway_timeout: {
    kind: 'gateway_timeout',
    rank: 'named',
    why: 'a gateway waited in vain; what stands behind it may still be working',
    when: { status: [504, 522, 524, 598, 599] },
    example: answer(504),
  },
  client_closed: { kind: 'gateway_timeout', rank: 'hint', why: '499 received by us: a hop between gave up', when: { status: [499] }, example: answer(499) },
  conflict: { kind: 'conflict', rank: 'hint', effect: 'none', why: '409: it collided with something; SDKs repeat it', when: { status: [409] }, example: answer(409) },
  precondition: { class: 'permanent', kind: 'conflict', rank: 'hint', why: '412: read again before writing', when: { status: [412] }, example: answer(412) },
  too_large: { kind: 'request_too_large', rank: 'named', why: '413, 431, 494: body or headers too large', when: { status: [413, 414, 431, 494] }, example: answer(413) },
  invalid: {
    kind: 'invalid_request',
    rank: 'hint',
    why: 'the request is refused as it is',
    when: { status: [400, 405, 406, 411, 415, 416, 417, 422, 428, 501] },
    example: answer(422),
  },
  version: { kind: 'version_mismatch', rank: 'hint', why: '426 and 505: speak another version', when: { status: [426, 505] }, example: answer(426) },
  legal: { kind: 'unsupported_region', rank: 'named', why: '451: legal reasons', when: { status: [451] }, example: answer(451) },
  locked: { kind: 'lock', rank: 'hint', effect: 'none', why: '423: locked by somebody', when: { status: [423] }, example: answer(423) },
  wrong_connection: { kind: 'network', rank: 'hint', effect: 'none', why: '421, 425: promised unprocessed; a fresh connection works', when: { status: [421, 425] }, example: answer(421) },
  storage: { kind: 'disk_full', rank: 'named', why: '507: storage full', when: { status: [507] }, example: answer(507) },
  loop: { kind: 'config', rank: 'hint', why: '508, 463, 464: the set-up between us and the service is wrong', when: { status: [508, 463, 464, 497] }, example: answer(508) },
  bandwidth: { kind: 'quota', rank: 'named', why: '509: bandwidth used up', when: { status: [509] }, example: answer(509) },
  client_certificate: { kind: 'auth', rank: 'named', why: '495, 496: the client certificate is refused', when: { status: [495, 496, 561] }, example: answer(496) },
  unreachable_origin: { kind: 'network', rank: 'hint', effect: 'none', why: "Cloudflare's 521 and 523: the origin refused or is unreachable", when: { status: [521, 523] }, example: answer(521) },
  origin_tls: { kind: 'tls', rank: 'named', why: "Cloudflare's 525 and 526: the origin's certificate", when: { status: [525, 526] }, example: answer(526) },
  unavailable: { kind: 'overloaded', rank: 'hint', effect: 'none', why: '503: not now', when: { status: [503] }, example: answer(503) },
  server: { kind: 'server_error', rank: 'hint', why: 'the service failed', when: { status: ['5xx'] }, example: answer(500) },
  client: { kind: 'invalid_request', rank: 'last', why: 'a refusal with a status that nobody defined', when: { status: ['4xx'] }, example: answer(418) },
})
