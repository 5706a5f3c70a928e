import { family } from '../rule.ts'
import { coded, numbered } from './example.ts'

const raised = (errno: number, code: string, message = 'x') =>
  coded(code, message, { errno, sqlState: 'HY000' })
const numbers = (...list: number[]) => numbered('errno=', ...list)

/** MySQL and MariaDB by error number, and the drivers' own words. */
export default family('mysql', {
  collided: {
    kind: 'conflict',
    rank: 'cause',
    effect: 'none',
    why: 'two transactions collided and ours was rolled back',
    when: {
      code: [
        ...numbers(1213, 3058, 1020, 3101),
        'ER_LOCK_DEADLOCK',
        'ER_USER_LOCK_DEADLOCK',
        'ER_CHECKREAD',
        'ER_TRANSACTION_ROLLBACK_DURING_COMMIT',
      ],
    },
    example: raised(1213, 'ER_LOCK_DEADLOCK', 'try restarting transaction'),
  },
  locked: {
    kind: 'lock',
    rank: 'cause',
    effect: 'none',
    why: 'another transaction holds the lock; only the statement was undone',
    when: {
      code: [
        ...numbers(1205, 3572, 1206, 1637),
        'ER_LOCK_WAIT_TIMEOUT',
        'ER_LOCK_NOWAIT',
        'ER_LOCK_TABLE_FULL',
        'ER_TOO_MANY_CONCURRENT_TRXS',
      ],
    },
    example: raised(3572, 'ER_LOCK_NOWAIT'),
  },
  statement_timeout: {
    kind: 'timeout',
    rank: 'named',
    effect: 'none',
    why: "the server's statement timeout passed",
    when: [
      { code: [...numbers(3024, 1969), 'ER_QUERY_TIMEOUT', 'ER_STATEMENT_TIMEOUT'] },
      { says: ['maximum statement execution time exceeded'] },
    ],
    example: raised(3024, 'ER_QUERY_TIMEOUT'),
  },
  interrupted: {
    kind: 'aborted',
    rank: 'named',
    why: 'the statement was killed; tables without transactions keep what it had done',
    when: { code: [...numbers(1317), 'ER_QUERY_INTERRUPTED'] },
    example: { message: 'it failed', errno: 1317 },
  },
  packet: {
    kind: 'request_too_large',
    rank: 'named',
    why: 'the statement is larger than the packet limit',
    when: [{ code: [...numbers(1153), 'ER_NET_PACKET_TOO_LARGE'] }, { says: ['max allowed packet'] }],
    example: raised(1153, 'ER_NET_PACKET_TOO_LARGE'),
  },
  disk: {
    kind: 'disk_full',
    rank: 'cause',
    effect: 'none',
    why: 'the table or the disk of the server is full',
    when: { code: [...numbers(1114, 1021), 'ER_RECORD_FILE_FULL', 'ER_DISK_FULL'] },
    example: raised(1114, 'ER_RECORD_FILE_FULL'),
  },
  memory: {
    kind: 'out_of_memory',
    rank: 'cause',
    effect: 'none',
    why: 'the server has not enough memory for the statement',
    when: { code: [...numbers(1037, 1038), 'ER_OUTOFMEMORY', 'ER_OUT_OF_SORTMEMORY'] },
    example: raised(1038, 'ER_OUT_OF_SORTMEMORY'),
  },
  read_only: {
    kind: 'config',
    rank: 'cause',
    why: 'this server accepts no writes: a replica, or a setting',
    when: { code: [...numbers(1290, 1836), 'ER_OPTION_PREVENTS_STATEMENT', 'ER_READ_ONLY_MODE'] },
    example: raised(1290, 'ER_OPTION_PREVENTS_STATEMENT'),
  },
  exists: {
    class: 'permanent',
    kind: 'conflict',
    rank: 'cause',
    why: 'the key already exists, or other rows depend on it',
    when: {
      code: [
        ...numbers(1062, 1586, 1451, 1452),
        'ER_DUP_ENTRY',
        'ER_ROW_IS_REFERENCED_2',
        'ER_NO_REFERENCED_ROW_2',
      ],
    },
    example: raised(1451, 'ER_ROW_IS_REFERENCED_2'),
  },
  absent: {
    kind: 'not_found',
    rank: 'cause',
    why: 'there is no such table or database',
    when: { code: [...numbers(1146, 1049), 'ER_NO_SUCH_TABLE', 'ER_BAD_DB_ERROR'] },
    example: raised(1049, 'ER_BAD_DB_ERROR'),
  },
  statement: {
    kind: 'invalid_request',
    rank: 'named',
    why: 'the statement, its data or its names are wrong',
    when: {
      code: [
        ...numbers(1048, 1054, 1064, 1136, 1149, 1264, 1292, 1364, 1366, 1406),
        'ER_PARSE_ERROR',
        'ER_BAD_FIELD_ERROR',
        'ER_BAD_NULL_ERROR',
        'ER_DATA_TOO_LONG',
        'ER_NO_DEFAULT_FOR_FIELD',
      ],
    },
    example: raised(1064, 'ER_PARSE_ERROR'),
  },
})
