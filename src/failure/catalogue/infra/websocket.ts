import { family } from '../rule.ts'
import { numbered } from './example.ts'

const event = (code: number, reason = '') => ({ type: 'close', code, reason, wasClean: false })
const close = (...codes: number[]) => numbered('close=', ...codes)

/** Why a WebSocket was closed, by its close code. The reason text takes precedence. */
export default family('websocket', {
  cut: {
    kind: 'network',
    rank: 'said',
    why: 'the connection broke, the upgrade failed, or the server is stopping or restarting',
    when: { code: close(1001, 1006, 1012) },
    example: event(1006),
  },
  no_code: {
    kind: 'stream_cut',
    rank: 'said',
    why: 'closed without a reason',
    when: { code: close(1005) },
    example: event(1005),
  },
  later: {
    kind: 'overloaded',
    rank: 'named',
    why: 'the server asks to come back later',
    when: { code: close(1013) },
    example: event(1013, 'try again later'),
  },
  server: {
    kind: 'server_error',
    rank: 'named',
    why: 'the server, or a gateway in front of it, failed',
    when: { code: close(1011, 1014) },
    example: event(1011),
  },
  protocol: {
    kind: 'invalid_request',
    rank: 'named',
    why: 'a message that the server cannot accept as sent',
    when: { code: close(1002, 1003, 1007, 1010) },
    example: event(1007, 'invalid payload data'),
  },
  too_large: {
    kind: 'request_too_large',
    rank: 'named',
    why: 'a message larger than the server accepts',
    when: { code: close(1009) },
    example: event(1009),
  },
  tls: {
    kind: 'tls',
    rank: 'named',
    why: 'the TLS handshake failed',
    when: { code: close(1015) },
    example: event(1015),
  },
  policy: {
    kind: 'forbidden',
    rank: 'said',
    why: 'refused by a server rule; only the reason says which',
    when: { code: close(1008) },
    example: event(1008),
  },
  login: {
    kind: 'auth',
    rank: 'named',
    why: 'the registered code for a missing login',
    when: { code: close(3000) },
    example: event(3000),
  },
  denied: {
    kind: 'forbidden',
    rank: 'named',
    why: 'the registered code for no permission',
    when: { code: close(3003) },
    example: event(3003),
  },
  timeout: {
    kind: 'timeout',
    rank: 'named',
    why: 'the registered code for a timeout',
    when: { code: close(3008) },
    example: event(3008),
  },
})
