import { family } from '../rule.ts'
import { words } from './example.ts'

const failed = (message: string, code: string | undefined, extra: object = {}) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(message), code ? { code } : {}, extra) })

/** fetch in Node, bun and deno: the outer error says nothing, the cause says everything. */
export default family('fetch', {
  other_side_closed: {
    kind: 'eof',
    why: 'the server hung up; the socket in the error tells whether anything was sent',
    when: { code: ['UND_ERR_SOCKET'] },
    example: failed('closed', 'UND_ERR_SOCKET', { socket: { bytesWritten: 120, bytesRead: 0 } }),
  },
  cut_after_headers: {
    kind: 'stream_cut',
    rank: 'cause',
    why: 'the server hung up after the answer had begun',
    when: { code: ['UND_ERR_SOCKET'], also: ['message=terminated'] },
    example: new TypeError('terminated', {
      cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
    }),
  },
  not_http: {
    kind: 'server_error',
    rank: 'named',
    why: 'the answer is not valid HTTP; a one-off, a proxy or a restart',
    when: [
      { code: ['HTTPParserError', 'InvalidHTTPResponse'] },
      {
        code: words(
          'HPE_INVALID_VERSION HPE_INVALID_STATUS HPE_INVALID_HEADER_TOKEN HPE_INVALID_CONTENT_LENGTH HPE_INVALID_TRANSFER_ENCODING HPE_UNEXPECTED_CONTENT_LENGTH HPE_STRICT HPE_CR_EXPECTED HPE_LF_EXPECTED HPE_CHUNK_EXTENSIONS_OVERFLOW HPE_INTERNAL HPE_USER HPE_INVALID_METHOD HPE_INVALID_URL',
        ),
      },
      {
        says: [
          'response does not match the http # # protocol',
          'invalid http version parsed',
          'parse error (invalid|missing|unexpected)',
        ],
        unless: ['expected http', 'json parse error'],
      },
    ],
    example: failed('Response does not match the HTTP/1.1 protocol (Invalid header token)', undefined, {
      name: 'HTTPParserError',
    }),
  },
  other_protocol: {
    kind: 'config',
    rank: 'cause',
    effect: 'maybe',
    why: 'the very first bytes are not HTTP: that port serves another protocol',
    when: [
      { code: ['HPE_INVALID_CONSTANT'] },
      { says: ['protocol expected http', 'parse error expected http'] },
    ],
    example: failed('Response does not match the HTTP/1.1 protocol (Expected HTTP/)', 'HPE_INVALID_CONSTANT'),
  },
  headers_too_large: {
    kind: 'config',
    rank: 'cause',
    effect: 'maybe',
    why: 'the headers of the answer are larger than the client allows',
    when: { code: ['UND_ERR_HEADERS_OVERFLOW', 'HPE_HEADER_OVERFLOW'] },
    example: failed('Headers Overflow Error', 'UND_ERR_HEADERS_OVERFLOW'),
  },
  length_mismatch: {
    kind: 'stream_cut',
    why: 'the answer is shorter than announced, or was cut off inside a chunk',
    when: {
      code: words(
        'UND_ERR_RES_CONTENT_LENGTH_MISMATCH HPE_INVALID_EOF_STATE HPE_CLOSED_CONNECTION HPE_INVALID_CHUNK_SIZE',
      ),
    },
    example: { message: 'it failed', code: 'HPE_INVALID_EOF_STATE' },
  },
  misuse: {
    kind: 'code_bug',
    rank: 'named',
    effect: 'none',
    why: 'the client was misused, or used after it was closed',
    when: [
      {
        code: words(
          'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH UND_ERR_INVALID_ARG UND_ERR_INVALID_RETURN_VALUE UND_ERR_NOT_SUPPORTED UND_ERR_BPL_MISSING_UPSTREAM UND_ERR_MAX_ORIGINS_REACHED UND_MOCK_ERR_MOCK_NOT_MATCHED UND_ERR_DESTROYED UND_ERR_CLOSED ClientDestroyedError ClientClosedError',
        ),
      },
      {
        says: [
          'request with get head method cannot have body',
          'duplex option is required',
          'body is unusable',
          'body has already been read',
          'body object should not be disturbed',
          'the client has been closed',
        ],
      },
    ],
    example: failed(
      'Request body length does not match content-length header',
      'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
    ),
  },
  tunnel_refused: {
    kind: 'forbidden',
    rank: 'named',
    why: 'the proxy refused the tunnel; undici calls that an abort',
    when: {
      says: [
        'when http tunneling',
        'connect tunnel failed',
        'tunnel connection failed',
        'tunneling socket could not be established',
      ],
      status: [403, 405, 451],
    },
    example: failed('Request was cancelled.', undefined, {
      cause: Object.assign(new Error('Proxy response (403) !== 200 when HTTP Tunneling'), {
        name: 'AbortError',
        code: 'UND_ERR_ABORTED',
      }),
    }),
  },
  tunnel_down: {
    kind: 'network',
    rank: 'named',
    effect: 'none',
    why: 'the proxy could not open the tunnel, so nothing of the request was sent',
    when: {
      says: [
        'when http tunneling',
        'connect tunnel failed',
        'tunnel connection failed',
        'tunneling socket could not be established',
      ],
      status: ['5xx'],
    },
    example: failed('Request was cancelled.', undefined, {
      cause: Object.assign(new Error('Proxy response (502) !== 200 when HTTP Tunneling'), {
        name: 'AbortError',
        code: 'UND_ERR_ABORTED',
      }),
    }),
  },
  proxy_tls: {
    kind: 'tls',
    rank: 'cause',
    why: 'the certificate of the proxy is refused',
    when: { code: ['UND_ERR_PRX_TLS', 'SecureProxyConnectionError'] },
    example: failed('Proxy Connection Error', 'UND_ERR_PRX_TLS'),
  },
  redirect: {
    kind: 'config',
    rank: 'named',
    why: 'a redirect where none is allowed: the URL is not the final one',
    when: { says: ['unexpected redirect'] },
    example: failed('unexpected redirect', undefined),
  },
  header_value: {
    kind: 'config',
    rank: 'named',
    why: 'a key that contains a line break or curly quotes cannot be sent as a header',
    when: {
      says: [
        'convert argument to a byte string',
        'is an invalid header value',
        'invalid character in header content',
        'invalid header value',
      ],
    },
    example: new TypeError(
      'Cannot convert argument to a ByteString because the character at index 7 has a value of 8220 which is greater than 255.',
    ),
  },
  cut_before_answer: {
    kind: 'eof',
    rank: 'named',
    why: 'the server hung up before it answered; bun gives this the code of a reset',
    when: { says: ['socket connection was closed unexpectedly', 'closed before message completed'] },
    example: Object.assign(new TypeError('The socket connection was closed unexpectedly.'), {
      code: 'ECONNRESET',
    }),
  },
  never_connected: {
    kind: 'network',
    rank: 'named',
    effect: 'none',
    why: 'the word in brackets is the phase: the connection was never made',
    when: {
      says: [
        'client error connect tcp connect error',
        'client error connect tls handshake eof',
        'client error connect connection',
      ],
    },
    example:
      'error sending request for url (https://api.example.com/): client error (Connect): tls handshake eof',
  },
})
