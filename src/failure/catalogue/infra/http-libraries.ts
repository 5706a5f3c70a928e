import { family } from '../rule.ts'
import { named } from './example.ts'

/** axios, got, ky, node-fetch, ws: names and words of libraries that wrap a request. */
export default family('library', {
  cut: {
    kind: 'stream_cut',
    rank: 'named',
    why: 'the answer was cut off; "aborted" refers to the connection, and a status of 200 came before that',
    when: {
      says: [
        'stream has been aborted',
        'server aborted pending request',
        'invalid response body while trying to fetch',
      ],
    },
    example: 'Invalid response body while trying to fetch https://api.example.com/v1',
  },
  absent: {
    kind: 'not_found',
    rank: 'said',
    why: 'axios calls every 4xx a bad request; the number in its message says which one',
    when: { code: ['ERR_BAD_REQUEST', 'ERR_NON_2XX_3XX_RESPONSE'], status: [404, 410] },
    example: named('AxiosError', 'Request failed with status code 404', {
      code: 'ERR_BAD_REQUEST',
      response: { status: 404, headers: {}, data: '' },
    }),
  },
  denied: {
    kind: 'forbidden',
    rank: 'said',
    why: 'axios calls every 4xx a bad request; the number in its message says which one',
    when: { code: ['ERR_BAD_REQUEST', 'ERR_NON_2XX_3XX_RESPONSE'], status: [403] },
    example: named('AxiosError', 'Request failed with status code 403', {
      code: 'ERR_BAD_REQUEST',
      response: { status: 403, headers: {}, data: '' },
    }),
  },
  too_much: {
    kind: 'max_size',
    rank: 'named',
    why: "the caller's own byte limit stopped the transfer",
    when: [
      { code: ['type=max-size'] },
      { says: ['(max content length|max body length) size of # exceeded', 'content size at … over limit'] },
    ],
    example: named('FetchError', 'content size at https://example.com/a over limit: 1000', {
      type: 'max-size',
    }),
  },
  bad_address: {
    kind: 'config',
    rank: 'named',
    why: 'the URL redirects in a circle or uses a protocol the library does not support',
    when: [
      { code: ['type=max-redirect', 'type=no-redirect', 'type=unsupported-redirect'] },
      {
        says: [
          'maximum redirect reached',
          'only http s protocols are supported',
          'only absolute urls are supported',
          'maximum number of redirects',
          'redirects followed',
          'redirected # times',
        ],
      },
    ],
    example: named('FetchError', 'maximum redirect reached at: https://example.com/', {
      type: 'max-redirect',
    }),
  },
  not_json: {
    kind: 'bad_json',
    rank: 'named',
    why: 'the body is not in the format the caller asked the library to parse',
    when: [
      { code: ['ERR_BODY_PARSE_FAILURE', 'type=invalid-json'] },
      { says: ['invalid json response body', 'json parse error unexpected eof'] },
    ],
    example: { message: 'it failed', code: 'ERR_BODY_PARSE_FAILURE' },
  },
  timer: {
    kind: 'timeout',
    rank: 'named',
    why: "the library's own timer fired after the request was sent",
    when: { code: ['type=request-timeout', 'type=body-timeout'] },
    example: { message: 'it failed', type: 'body-timeout' },
  },
  never_open: {
    kind: 'network',
    rank: 'said',
    effect: 'none',
    why: 'the WebSocket was closed before it was open',
    when: { says: ['(websocket|web socket) was closed before the connection was established'] },
    example: new Error('WebSocket was closed before the connection was established'),
  },
})
