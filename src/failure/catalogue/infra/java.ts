import { family } from '../rule.ts'

const thrown = (line: string) =>
  `Exception in thread "main" ${line}\n\tat java.base/sun.nio.ch.Net.connect(Net.java:579)`

/** Java and OkHttp: exception names, which often come without a message. */
export default family('java', {
  refused: {
    kind: 'network',
    rank: 'hint',
    effect: 'none',
    why: 'no connection was made',
    when: {
      says: ['java net connect exception', 'no route to host exception', 'http host connect exception'],
    },
    example: thrown('java.net.ConnectException'),
  },
  timeout: {
    kind: 'timeout',
    rank: 'said',
    why: 'the answer did not come in time',
    when: {
      says: ['socket timeout exception', 'http timeout exception', 'interrupted io exception timeout'],
    },
    example: thrown('java.io.InterruptedIOException: timeout'),
  },
  half: {
    kind: 'stream_cut',
    rank: 'named',
    why: 'the answer is shorter than announced',
    when: { says: ['premature eof', 'fixed content length # bytes received', 'unexpected end of stream'] },
    example: thrown('java.io.IOException: fixed content-length: 100, bytes received: 3'),
  },
  cancelled: {
    kind: 'aborted',
    rank: 'said',
    why: 'our own side cancelled the call',
    when: { says: ['io exception canceled', 'cancellation exception', 'interrupted exception'] },
    example: thrown('java.io.IOException: Canceled'),
  },
  mistake: {
    kind: 'code_bug',
    rank: 'last',
    effect: 'maybe',
    why: 'an exception that only buggy code throws',
    when: {
      says: [
        'illegal (state|argument) exception',
        'class cast exception',
        'stack overflow error',
        'unsupported operation exception',
        'array index out of bounds',
        'number format exception',
        'no such method error',
        'no such element exception',
        'concurrent modification exception',
      ],
    },
    example: thrown('java.lang.ClassCastException: x'),
  },
  not_on_path: {
    kind: 'not_found',
    rank: 'named',
    why: 'a class is not on the classpath',
    when: {
      says: ['class not found exception', 'no class def found error', 'could not find or load main class'],
    },
    example: thrown('java.lang.NoClassDefFoundError: x'),
  },
})
