import { family } from '../rule.ts'
import { numbered, printed } from './example.ts'

const said = (code: number, text: string) => printed(`curl: (${code}) ${text}`, code)
const numbers = (...codes: number[]) => numbered('curl=', ...codes)

/** curl: its exit numbers, where its message alone is not enough. */
export default family('curl', {
  name: {
    kind: 'dns',
    rank: 'hint',
    effect: 'none',
    why: 'the host or the proxy was not resolved',
    when: { code: numbers(5, 6) },
    example: said(6, 'x'),
  },
  refused: {
    kind: 'network',
    rank: 'hint',
    effect: 'none',
    why: 'no connection was made',
    when: { code: numbers(7) },
    example: said(7, 'x'),
  },
  connect_timeout: {
    kind: 'connect_timeout',
    rank: 'named',
    effect: 'none',
    why: 'timed out before a connection was made',
    when: {
      code: numbers(28),
      says: [
        'failed to connect',
        'connection timed out after',
        'resolving timed out',
        'connection timeout after',
      ],
    },
    example: said(28, 'Connection timed out after 1001 milliseconds'),
  },
  timeout: {
    kind: 'timeout',
    rank: 'named',
    why: 'timed out after the request was sent',
    when: { code: numbers(28) },
    example: said(28, 'Operation too slow'),
  },
  certificate: {
    kind: 'tls',
    rank: 'cause',
    why: 'the certificate, ours or theirs, is refused',
    when: { code: numbers(51, 53, 54, 58, 60, 64, 66, 77, 80, 82, 83, 90, 91) },
    example: said(77, 'x'),
  },
  handshake: {
    kind: 'tls',
    rank: 'hint',
    why: 'the TLS handshake failed',
    when: { code: numbers(35) },
    example: said(35, 'x'),
  },
  nothing: {
    kind: 'eof',
    rank: 'named',
    why: 'the server closed without an answer',
    when: { code: numbers(52) },
    example: said(52, 'nothing came'),
  },
  cut: {
    kind: 'stream_cut',
    rank: 'said',
    why: 'the answer broke off, or a stream was reset',
    when: { code: numbers(18, 16, 92, 95) },
    example: said(16, 'framing layer'),
  },
  reset: {
    kind: 'network',
    rank: 'hint',
    why: 'the connection broke while sending or receiving',
    when: { code: numbers(55, 56) },
    example: said(55, 'x'),
  },
  address: {
    kind: 'config',
    rank: 'named',
    why: 'the address or its protocol cannot be used',
    when: { code: numbers(1, 2, 3, 4, 47) },
    example: said(3, 'URL using bad/illegal format or missing URL'),
  },
  login: {
    kind: 'auth',
    rank: 'named',
    why: 'the login is refused',
    when: { code: numbers(67, 94) },
    example: said(67, 'x'),
  },
  file: {
    kind: 'not_found',
    rank: 'named',
    why: 'the file to read does not exist',
    when: { code: numbers(26, 37, 78) },
    example: said(37, "Couldn't open file /x"),
  },
  write: {
    kind: 'io',
    rank: 'hint',
    effect: 'maybe',
    why: 'the answer could not be written to disk',
    when: { code: numbers(23) },
    example: said(23, 'x'),
  },
  too_large: {
    kind: 'max_size',
    rank: 'named',
    why: 'the answer exceeds the size the caller allows',
    when: { code: numbers(63) },
    example: said(63, 'x'),
  },
})
