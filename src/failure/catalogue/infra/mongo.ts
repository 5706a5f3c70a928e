import { family } from '../rule.ts'
import { named, numbered } from './example.ts'

const codes = (...numbers: number[]) => numbered('mongo=', ...numbers)

/** MongoDB: labels say what may be repeated, numbers what happened. */
export default family('mongo', {
  transaction: {
    kind: 'conflict',
    rank: 'cause',
    effect: 'none',
    why: 'the transaction was rolled back and can be repeated as a whole',
    when: { code: ['label=transienttransactionerror', 'mongo=112', 'mongo=251'] },
    example: named('MongoServerError', 'x', { code: 112, errorLabels: ['TransientTransactionError'] }),
  },
  commit_unknown: {
    kind: 'network',
    rank: 'cause',
    why: 'it is unknown whether the commit went through',
    when: { code: ['label=unknowntransactioncommitresult'] },
    example: named('MongoServerError', 'x', { code: 50, errorLabels: ['UnknownTransactionCommitResult'] }),
  },
  overloaded: {
    kind: 'overloaded',
    rank: 'cause',
    effect: 'none',
    why: 'the server rejected the operation because it is overloaded',
    when: { code: ['label=systemoverloadederror'] },
    example: named('MongoServerError', 'x', { code: 462, errorLabels: ['SystemOverloadedError'] }),
  },
  not_written: {
    kind: 'network',
    rank: 'cause',
    effect: 'none',
    why: 'the server guarantees that nothing was written',
    when: { code: ['label=nowritesperformed'] },
    example: named('MongoServerError', 'x', {
      code: 10107,
      errorLabels: ['RetryableWriteError', 'NoWritesPerformed'],
    }),
  },
  away: {
    kind: 'network',
    rank: 'named',
    why: 'the node stepped down, stops, or cannot be reached',
    when: {
      code: [
        ...codes(6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436),
        'label=retryablewriteerror',
        'label=retryableerror',
        'MongoNetworkError',
      ],
    },
    example: named('MongoServerError', 'x', { code: 189, codeName: 'PrimarySteppedDown' }),
  },
  exists: {
    class: 'permanent',
    kind: 'conflict',
    rank: 'cause',
    why: 'the key already exists',
    when: { code: codes(11000, 11001) },
    example: named('MongoServerError', 'x', { code: 11000 }),
  },
  login: {
    kind: 'auth',
    rank: 'cause',
    why: 'user or password is not accepted',
    when: { code: codes(18, 8000) },
    example: named('MongoServerError', 'x', { code: 18 }),
  },
  denied: {
    kind: 'forbidden',
    scope: 'resource',
    rank: 'cause',
    why: 'the user may not do this',
    when: { code: codes(13) },
    example: named('MongoServerError', 'x', { code: 13 }),
  },
  timeout: {
    kind: 'timeout',
    rank: 'named',
    why: 'the operation took too long, or was written but not yet replicated',
    when: { code: [...codes(50, 64, 202), 'MongoNetworkTimeoutError'] },
    example: named('MongoServerError', 'x', { code: 64 }),
  },
  no_server: {
    kind: 'connect_timeout',
    rank: 'named',
    effect: 'none',
    why: 'no server could be chosen, so nothing was sent',
    when: { code: ['MongoServerSelectionError'] },
    example: named('MongoServerSelectionError', 'Server selection timed out after 30000 ms'),
  },
  closed: {
    kind: 'code_bug',
    rank: 'cause',
    effect: 'none',
    why: 'the client is used before it is connected or after it was closed',
    when: {
      code: [
        'MongoTopologyClosedError',
        'MongoNotConnectedError',
        'MongoClientClosedError',
        'MongoExpiredSessionError',
      ],
    },
    example: named('MongoTopologyClosedError', 'Topology is closed'),
  },
})
