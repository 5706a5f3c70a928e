import { family } from '../rule.ts'
import { named, numbered } from './example.ts'

const trace = (line: string) =>
  `Traceback (most recent call last):\n  File "/srv/a.py", line 3, in <module>\n    main()\n${line}`

/** requests, urllib3, httpx, aiohttp and Python itself: names that often come without a message. */
export default family('python', {
  agent_limit: {
    kind: 'max_steps',
    rank: 'cause',
    why: "Pydantic AI's name for a limit that the caller set for the run",
    when: { code: ['UsageLimitExceeded'] },
    example: Object.assign(new Error('The next request would exceed the request_limit of 50'), {
      name: 'UsageLimitExceeded',
    }),
  },
  pool: {
    kind: 'overloaded',
    rank: 'named',
    effect: 'none',
    why: 'our own pool had no free connection: says nothing about the service',
    when: { says: ['(httpx|httpcore) pool timeout', 'connection pool is full', 'queue pool limit of size'] },
    example: trace('httpx.PoolTimeout'),
  },
  not_connected: {
    kind: 'network',
    rank: 'named',
    effect: 'none',
    why: 'no address of the host accepted the connection',
    when: { says: ['all connection attempts failed', 'client connector error'] },
    example: trace('httpx.ConnectError: All connection attempts failed'),
  },
  cut: {
    kind: 'network',
    rank: 'said',
    why: 'the connection broke while reading or writing',
    when: {
      says: ['httpx (read|write|close|network) error', 'httpcore (read|write) error', 'bad status line'],
    },
    example: trace('httpx.ReadError'),
  },
  nothing: {
    kind: 'eof',
    rank: 'named',
    why: 'the server closed without an answer; "aborted" refers to the connection',
    when: {
      says: [
        'remote disconnected',
        'server disconnected error',
        'remote end closed connection without response',
      ],
    },
    example: 'ServerDisconnectedError',
  },
  not_json: {
    kind: 'bad_json',
    rank: 'said',
    why: 'an HTML page came in place of JSON',
    when: { says: ['decode json with unexpected mimetype'] },
    example: trace(
      "aiohttp.client_exceptions.ContentTypeError: 200, message='Attempt to decode JSON with unexpected mimetype: text/html'",
    ),
  },
  kept_failing: {
    kind: 'server_error',
    rank: 'cause',
    why: 'every try got a server error; the message around it looks like a connection problem',
    when: { code: ['responses=500', 'responses=502', 'responses=503', 'responses=504'] },
    example: trace(
      "requests.exceptions.RetryError: HTTPConnectionPool(host='x', port=80): Max retries exceeded with url: / (Caused by ResponseError('too many 503 error responses'))",
    ),
  },
  kept_throttling: {
    kind: 'rate_limit',
    rank: 'cause',
    why: 'every try was throttled',
    when: { code: ['responses=429'] },
    example: trace(
      "requests.exceptions.RetryError: Max retries exceeded with url: / (Caused by ResponseError('too many 429 error responses'))",
    ),
  },
  address: {
    kind: 'config',
    rank: 'named',
    why: 'the address has no protocol, or an unknown one',
    when: {
      says: [
        'missing schema',
        'invalid schema',
        'no scheme supplied',
        'no connection adapters were found',
        'unsupported protocol',
      ],
    },
    example: trace("requests.exceptions.InvalidSchema: No connection adapters were found for 'x://y'"),
  },
  no_program: {
    kind: 'binary_not_found',
    rank: 'named',
    why: 'a bare name without a path is a program to start',
    when: { code: ['program=missing'] },
    example: trace("FileNotFoundError: [Errno 2] No such file or directory: 'claude'"),
  },
  permission: {
    kind: 'permission',
    rank: 'named',
    why: 'the operating system refuses',
    when: { says: ['permission error errno #', 'errno # (permission denied|operation not permitted)'] },
    example: trace("PermissionError: [Errno 13] Permission denied: '/x'"),
  },
  refused_by_name: {
    kind: 'permission',
    rank: 'named',
    why: "Python's own name for a refusal of the operating system; an API's permission_error is something else",
    when: { code: ['PermissionError'] },
    example: named('PermissionError', 'denied'),
  },
  key: {
    kind: 'code_bug',
    rank: 'cause',
    why: 'its text is the missing key, no matter what the key is called',
    when: { code: ['KeyError'] },
    example: named('KeyError', "'rate_limit'"),
  },
  syntax: {
    kind: 'code_bug',
    rank: 'said',
    why: 'a program that does not parse; other runtimes use the same name for invalid JSON',
    when: { code: ['SyntaxError', 'IndentationError'], says: ['invalid syntax', 'unexpected indent'] },
    example: named('SyntaxError', 'invalid syntax'),
  },
  not_there: {
    kind: 'network',
    rank: 'last',
    why: 'how Python programs say that a service they need is not running',
    when: { code: ['RuntimeError'], says: ['not available', 'not running'] },
    example: named('RuntimeError', 'Notes are not available'),
  },
  not_connected_by_number: {
    kind: 'network',
    rank: 'hint',
    effect: 'none',
    why: 'the error numbers on Linux, macOS and Windows for: no listener, no route',
    when: {
      code: numbered('os_errno=', 111, 113, 101, 61, 65, 51, 10_061, 10_065, 10_051),
      unless: ['no data available'],
    },
    example: 'OSError: [Errno 111]',
  },
  cut_by_number: {
    kind: 'network',
    rank: 'hint',
    why: 'the error numbers on Linux, macOS and Windows for a connection that broke while in use',
    when: { code: numbered('os_errno=', 104, 103, 54, 53, 10_054, 10_053) },
    example: 'OSError: [Errno 104]',
  },
  socket_forbidden: {
    kind: 'permission',
    rank: 'cause',
    effect: 'none',
    why: 'the Windows error number for a socket that the machine itself forbids: a firewall, or a reserved port',
    when: { code: numbered('os_errno=', 10_013) },
    example: 'OSError: [WinError 10013]',
  },
  timeout_by_number: {
    kind: 'timeout',
    rank: 'hint',
    why: 'the error numbers on Linux, macOS and Windows for a connection that did not answer in time',
    when: { code: numbered('os_errno=', 110, 60, 10_060) },
    example: 'OSError: [Errno 110]',
  },
  mistake: {
    kind: 'code_bug',
    rank: 'last',
    effect: 'maybe',
    why: 'an exception that only buggy code or bad data raises',
    when: {
      says: [
        'zero division error',
        'value error',
        'type error',
        'lookup error',
        'assertion error',
        'unicode (decode|encode) error',
        'overflow error',
        'syntax error invalid syntax',
        'indentation error',
        'stop iteration',
      ],
    },
    example: trace('ZeroDivisionError: division by zero'),
  },
})
