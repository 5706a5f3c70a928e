import { coded, words } from './infra/example.ts'
import { family } from './rule.ts'

/** System errors of Node and other JavaScript runtimes, by `code`, and what `syscall` proves about the phase. */
export default family('node', {
  refused: {
    kind: 'network',
    effect: 'none',
    why: 'no listener, or no route; nothing was sent',
    when: {
      code: words(
        'ECONNREFUSED EHOSTUNREACH ENETUNREACH EHOSTDOWN ENETDOWN ENONET ConnectionRefused FailedToOpenSocket',
      ),
    },
    example: { message: 'it failed', code: 'EHOSTDOWN' },
  },
  refused_among_addresses: {
    kind: 'network',
    effect: 'none',
    rank: 'cause',
    why: 'one of several addresses was refused; the others only hit the short timer between tries',
    when: { code: words('ECONNREFUSED EHOSTUNREACH ENETUNREACH'), also: ['AggregateError'] },
    example: Object.assign(
      new AggregateError([
        coded('ETIMEDOUT', 'connect ETIMEDOUT 203.0.113.7:443', { syscall: 'connect' }),
        coded('ENETUNREACH', 'connect ENETUNREACH 2001:db8::1:443', { syscall: 'connect' }),
      ]),
      { code: 'ETIMEDOUT' },
    ),
  },
  reset: {
    kind: 'network',
    why: 'the connection broke while in use',
    when: { code: words('ECONNRESET ENOTCONN ESHUTDOWN ENOBUFS EINTR ERR_NETWORK') },
    example: { message: 'it failed', code: 'ENOTCONN' },
  },
  closed_pipe: {
    kind: 'eof',
    why: 'the other side closed while we wrote; it may have received part of it',
    when: { code: ['EPIPE', 'EOF'] },
    example: coded('EPIPE', 'write EPIPE', { syscall: 'write' }),
  },
  cut_in_handshake: {
    kind: 'network',
    effect: 'none',
    rank: 'cause',
    why: 'the connection broke before the TLS handshake, so no request was sent',
    when: { says: ['before secure tls connection was established'] },
    example: coded(
      'ECONNRESET',
      'Client network socket disconnected before secure TLS connection was established',
    ),
  },
  aborted_connection: {
    kind: 'network',
    rank: 'said',
    why: 'an abandoned connection; axios uses the same code for its timeout, and its text says so',
    when: { code: ['ECONNABORTED'], unless: ['timeout of', 'timed out'] },
    example: coded('ECONNABORTED', 'request aborted'),
  },
  no_address: {
    kind: 'network',
    effect: 'none',
    why: 'no local address or port left to connect from',
    when: { code: ['EADDRNOTAVAIL'] },
    example: coded('EADDRNOTAVAIL', 'connect EADDRNOTAVAIL'),
  },
  cannot_listen: {
    kind: 'config',
    rank: 'cause',
    why: "another program listens on that port, or the address is not this machine's",
    when: [
      { code: ['EADDRINUSE'] },
      { code: ['EADDRNOTAVAIL'], also: ['syscall=listen'] },
      { says: ['listen eaddrinuse', 'listen eaddrnotavail', 'address already in use'] },
    ],
    example: coded('EADDRINUSE', 'listen EADDRINUSE: address already in use :::3000', { syscall: 'listen' }),
  },
  no_program: {
    kind: 'binary_not_found',
    rank: 'cause',
    why: 'there is no such program to start, or no such folder to start it in',
    when: [
      { code: ['ENOENT'], also: ['syscall=spawn'] },
      { code: ['ENOENT'], also: ['syscall=spawnsync'] },
    ],
    example: coded('ENOENT', 'could not start', { syscall: 'spawn claude' }),
  },
  daemon_socket: {
    kind: 'network',
    effect: 'none',
    rank: 'cause',
    why: "a daemon's socket file is missing: the daemon is not running",
    when: [{ code: ['ENOENT'], also: ['syscall=connect'] }, { says: ['connect enoent'] }],
    example: coded('ENOENT', 'connect ENOENT /var/run/docker.sock', { syscall: 'connect' }),
  },
  timeout: {
    kind: 'timeout',
    why: 'a socket or a library waited too long',
    when: {
      code: words(
        'ETIMEDOUT ESOCKETTIMEDOUT ERR_SOCKET_CONNECTION_TIMEOUT ERR_TIMED_OUT timeout request_timeout',
      ),
    },
    example: { message: 'it failed', code: 'ERR_SOCKET_CONNECTION_TIMEOUT' },
  },
  connect_timeout: {
    kind: 'connect_timeout',
    effect: 'none',
    why: 'the connection was never made',
    when: [
      { code: ['ETIMEDOUT'], also: ['syscall=connect'] },
      {
        code: words(
          'ETIMEOUT ERR_TLS_HANDSHAKE_TIMEOUT UND_ERR_CONNECT_TIMEOUT CONNECT_TIMEOUT ConnectTimeoutError',
        ),
      },
      ...['event=lookup', 'event=connect', 'event=secureconnect'].map(event => ({
        code: ['TimeoutError'],
        also: [event],
      })),
    ],
    example: { message: 'it failed', code: 'ETIMEDOUT', syscall: 'connect' },
  },
  runner_gone: {
    kind: 'runner_lost',
    effect: 'maybe',
    why: 'the child process is gone',
    when: { code: ['ERR_IPC_CHANNEL_CLOSED'] },
    example: coded('ERR_IPC_CHANNEL_CLOSED', 'Channel closed'),
  },
  bad_compression: {
    kind: 'bad_json',
    why: 'a compressed answer that does not decompress: cut or changed on the way',
    when: [
      { code: ['Z_DATA_ERROR', 'Z_BUF_ERROR', 'ZlibError'] },
      { says: ['zlib error', 'decompression error'] },
    ],
    example: coded('Z_BUF_ERROR', 'unexpected end of file', { errno: -5 }),
  },
  max_buffer: {
    kind: 'max_size',
    rank: 'cause',
    why: "the output exceeded the caller's buffer",
    when: [
      {
        code: [
          'ERR_CHILD_PROCESS_STDIO_MAXBUFFER',
          'UND_ERR_RES_EXCEEDED_MAX_SIZE',
          'ERR_FR_MAX_BODY_LENGTH_EXCEEDED',
        ],
      },
      { code: ['is_max_buffer=true'] },
      { code: ['ENOBUFS'], also: ['syscall=spawnsync'] },
      { says: ['spawn sync … enobufs'] },
    ],
    example: { message: 'it failed', code: 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER' },
  },
  abort: {
    kind: 'aborted',
    rank: 'said',
    why: 'an AbortSignal fired; if its reason was a timeout, the cause says so and wins',
    when: [
      {
        code: words(
          'AbortError ABORT_ERR ERR_CANCELED CanceledError CancelledError APIUserAbortError KeyboardInterrupt MessageAbortedError code=20',
        ),
      },
      { says: ['canceled error', 'error canceled', 'error cancelled'] },
    ],
    example: { message: 'it failed', code: 'AbortError' },
  },
  abort_by_timer: {
    kind: 'timeout',
    rank: 'named',
    why: 'a timer of the client itself aborted the call, not a person',
    when: [
      { code: ['AbortError', 'ABORT_ERR'], also: ['frame=timer'] },
      { says: ['abort error', '(operation|request) was aborted'], also: ['frame=timer'] },
    ],
    example:
      'AbortError: The operation was aborted\n    at AbortController.abort (node:internal/abort_controller:403:5)\n    at Timeout._onTimeout (file:///srv/cli.js:3441:8219)',
  },
})
