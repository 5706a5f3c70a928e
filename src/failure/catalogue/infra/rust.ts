import { family } from '../rule.ts'

/** Rust: std, hyper, reqwest, tokio and serde. */
export default family('rust', {
  read_timeout: {
    kind: 'timeout',
    rank: 'cause',
    why: 'a socket with a timeout reports that it would block',
    when: { says: ['resource temporarily unavailable os error'] },
    example: 'Resource temporarily unavailable (os error 11)',
  },
  name: {
    kind: 'dns',
    rank: 'named',
    effect: 'none',
    why: 'the name was not resolved',
    when: {
      says: ['error resolving dns', 'client error connect dns error', 'failed to lookup address information'],
    },
    example: 'error resolving DNS for api.example.com',
  },
  body: {
    kind: 'stream_cut',
    rank: 'said',
    why: 'the answer was cut off while being read',
    when: {
      says: [
        'request or response body error',
        'error reading a body from connection',
        'unexpected eof during chunk',
      ],
    },
    example: 'request or response body error',
  },
  builder: {
    kind: 'config',
    rank: 'named',
    why: 'the address or the client is set up wrong; nothing was sent',
    when: {
      says: [
        'builder error',
        'error following redirect',
        'relative url without a base',
        'url scheme is not allowed',
      ],
    },
    example: 'builder error: relative URL without a base',
  },
  connection: {
    kind: 'network',
    rank: 'said',
    why: 'the connection died during the request; "canceled" and "closed" do not refer to a person',
    when: {
      says: [
        'connection was not ready',
        'operation was canceled connection',
        'dispatch task is gone',
        'channel closed',
        'connection error http2 error',
      ],
    },
    example: 'hyper::Error(Canceled, "connection was not ready")',
  },
  json: {
    kind: 'bad_json',
    rank: 'said',
    why: 'the body is not JSON, or not the expected JSON',
    when: {
      says: [
        'expected value at line # column #',
        'trailing characters at line #',
        'invalid type … at line # column #',
        'missing field … at line # column #',
      ],
      unless: ['into the target type'],
    },
    example: 'expected value at line 1 column 1',
  },
})
