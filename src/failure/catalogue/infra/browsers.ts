import { family } from '../rule.ts'
import { named } from './example.ts'

const failed = (message: string, name = 'Error') => named(name, message)

/** Playwright, puppeteer and the browsers that they drive. */
export default family('browser', {
  no_element: {
    kind: 'not_found',
    rank: 'cause',
    effect: 'maybe',
    why: 'the page never showed the expected element; waiting again ends the same way',
    when: {
      says: ['no element found for selector'],
    },
    example: failed('Error: No element found for selector: #save'),
  },
  ambiguous: {
    kind: 'invalid_request',
    rank: 'named',
    why: 'the selector matches several elements',
    when: { says: ['strict mode violation'] },
    example: failed("locator.click: Error: strict mode violation: locator('a') resolved to 2 elements"),
  },
  lost: {
    kind: 'runner_lost',
    rank: 'named',
    why: 'the browser, the page or the frame disappeared during the work',
    when: [
      { code: ['TargetCloseError', 'TargetClosedError'] },
      {
        says: [
          'browser (has been|was|is|) closed',
          'page has been closed',
          'page crashed',
          'target closed',
          'target crashed',
          'execution context was destroyed',
          'frame was detached',
          'detached frame',
          'browser has disconnected',
          'session closed most likely',
        ],
      },
    ],
    example: failed('Protocol error (Page.navigate): Target closed', 'TargetCloseError'),
  },
  set_up: {
    kind: 'config',
    rank: 'named',
    why: 'the machine lacks libraries that the browser needs',
    when: {
      says: [
        'host system is missing dependencies',
        'running as root without no sandbox',
        'no usable sandbox',
      ],
    },
    example: failed('browserType.launch: Host system is missing dependencies to run browsers.'),
  },
  refused: {
    kind: 'network',
    rank: 'named',
    effect: 'none',
    why: "the browser's code for an unreachable server",
    when: {
      says: [
        'err (connection refused|address unreachable|internet disconnected|address invalid|proxy connection failed|connection failed)',
      ],
    },
    example: failed('net::ERR_ADDRESS_UNREACHABLE at https://example.com/'),
  },
  cut: {
    kind: 'network',
    rank: 'named',
    why: "the browser's code for a broken connection or a network change",
    when: {
      says: [
        'err (connection reset|connection closed|connection aborted|network changed|network io suspended|network access denied|socket not connected|quic protocol error|http2 protocol error|http2 ping failed|spdy protocol error)',
      ],
    },
    example: failed('net::ERR_NETWORK_CHANGED at https://example.com/'),
  },
  nothing: {
    kind: 'eof',
    rank: 'named',
    why: 'the server closed without an answer',
    when: { says: ['err empty response'] },
    example: failed('net::ERR_EMPTY_RESPONSE at https://example.com/'),
  },
  half: {
    kind: 'stream_cut',
    rank: 'named',
    why: 'the page was cut off',
    when: { says: ['err (incomplete chunked encoding|content length mismatch|content decoding failed)'] },
    example: failed('net::ERR_INCOMPLETE_CHUNKED_ENCODING at https://example.com/'),
  },
  replaced: {
    class: 'transient',
    kind: 'conflict',
    rank: 'named',
    why: 'the navigation became a download or was replaced by another one; it was not cancelled',
    when: { says: ['net err aborted', 'navigation … interrupted by another'] },
    example: failed('net::ERR_ABORTED at https://example.com/'),
  },
  address: {
    kind: 'config',
    rank: 'named',
    why: 'the address, its port or the proxy cannot be used',
    when: {
      says: [
        'err (tunnel connection failed|too many redirects|unsafe port|unknown url scheme|invalid redirect|proxy auth unsupported|mandatory proxy configuration failed)',
      ],
    },
    example: failed('net::ERR_UNSAFE_PORT at http://example.com:6667/'),
  },
  blocked: {
    kind: 'forbidden',
    rank: 'named',
    why: 'a rule of the browser, of an extension or of the site blocked the request',
    when: { says: ['err blocked by (client|response|administrator|csp|orb)'] },
    example: failed('net::ERR_BLOCKED_BY_CLIENT at https://example.com/'),
  },
})
