import { family } from '../rule.ts'

const closed = (what: string, reason: string, code: string) =>
  Object.assign(new Error(`${what} closed with error code ${reason}`), { code })

/** HTTP/2: a reset names its reason, and some reasons guarantee that nothing was done. */
export default family('http2', {
  refused_stream: {
    kind: 'overloaded',
    rank: 'named',
    effect: 'none',
    why: 'the peer guarantees that it did not process the request',
    when: [
      { code: ['http2=refused_stream', 'REFUSED_STREAM'] },
      { says: ['refused stream', 'stream refused by server'] },
    ],
    example: closed('Stream', 'NGHTTP2_REFUSED_STREAM', 'ERR_HTTP2_STREAM_ERROR'),
  },
  calm_down: {
    kind: 'rate_limit',
    rank: 'named',
    effect: 'maybe',
    why: 'the peer closed the connection because we send too much',
    when: [{ code: ['http2=enhance_your_calm'] }, { says: ['enhance your calm', 'too many pings'] }],
    example: closed('Session', '11', 'ERR_HTTP2_SESSION_ERROR'),
  },
  stream_reset: {
    kind: 'server_error',
    rank: 'named',
    why: 'the server gave up this one stream',
    when: {
      code: [
        'http2=internal_error',
        'http2=protocol_error',
        'http2=cancel',
        'http2=flow_control_error',
        'http2=frame_size_error',
        'http2=compression_error',
      ],
      also: ['ERR_HTTP2_STREAM_ERROR'],
    },
    example: closed('Stream', 'NGHTTP2_INTERNAL_ERROR', 'ERR_HTTP2_STREAM_ERROR'),
  },
  stream_error: {
    kind: 'stream_cut',
    rank: 'said',
    why: 'a stream was reset after it had begun; it was not cancelled, no matter what the reason is called',
    when: {
      says: [
        'stream was reset',
        'stream id # (internal error|protocol error|cancel)',
        'not closed cleanly',
        'http # framing layer',
        'http # protocol error',
      ],
    },
    example: 'okhttp3.internal.http2.StreamResetException: stream was reset: CANCEL',
  },
  session_error: {
    kind: 'network',
    why: 'the peer gave up the connection',
    when: { code: ['ERR_HTTP2_SESSION_ERROR'] },
    example: closed('Session', '2', 'ERR_HTTP2_SESSION_ERROR'),
  },
  session_gone: {
    kind: 'network',
    effect: 'none',
    why: 'the session was already closed when the request was made; a fresh one works',
    when: { code: ['ERR_HTTP2_INVALID_SESSION', 'ERR_HTTP2_GOAWAY_SESSION'] },
    example: Object.assign(new Error('New streams cannot be created after receiving a GOAWAY'), {
      code: 'ERR_HTTP2_GOAWAY_SESSION',
    }),
  },
  goaway: {
    kind: 'network',
    rank: 'said',
    why: 'the server is closing the connection; it does not always say which requests it still served',
    when: { says: ['sent goaway', 'received goaway', 'goaway'] },
    example:
      'http2: server sent GOAWAY and closed the connection; LastStreamID=1, ErrCode=NO_ERROR, debug=""',
  },
  speaks_http1: {
    kind: 'config',
    why: 'the peer does not speak HTTP/2 on that port',
    when: { code: ['errno=-505'], also: ['ERR_HTTP2_ERROR'] },
    example: Object.assign(new Error('Protocol error'), { code: 'ERR_HTTP2_ERROR', errno: -505 }),
  },
})
