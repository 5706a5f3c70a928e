import { family } from '../rule.ts'
import { coded, numbered } from './example.ts'

const raised = (errno: number, code: string, message = 'x') =>
  coded(code, message, { errno, sqlState: 'HY000' })
const numbers = (...list: number[]) => numbered('errno=', ...list)

/** Connections to MySQL and MariaDB: error numbers, and the drivers' own words. */
export default family('mysql', {
  full: {
    kind: 'overloaded',
    rank: 'cause',
    effect: 'none',
    why: 'the server has no connection or resource free',
    when: [
      {
        code: [
          ...numbers(1040, 1041, 3168),
          'ER_CON_COUNT_ERROR',
          'ER_OUT_OF_RESOURCES',
          'ER_SERVER_ISNT_AVAILABLE',
        ],
      },
      {
        code: [
          'message=queue limit reached',
          'message=no connections available',
          'message=too many connections',
        ],
      },
    ],
    example: raised(1040, 'ER_CON_COUNT_ERROR', 'no slot'),
  },
  allowance: {
    kind: 'quota',
    rank: 'cause',
    why: "the user's allowance, per hour or concurrent, is used up",
    when: { code: [...numbers(1203, 1226), 'ER_TOO_MANY_USER_CONNECTIONS', 'ER_USER_LIMIT_REACHED'] },
    example: raised(1226, 'ER_USER_LIMIT_REACHED'),
  },
  login: {
    kind: 'auth',
    rank: 'named',
    why: 'user or password is not accepted',
    when: [
      {
        code: [
          ...numbers(1045, 1698, 1820, 1862, 1524),
          'ER_ACCESS_DENIED_ERROR',
          'ER_ACCESS_DENIED_NO_PASSWORD_ERROR',
          'ER_MUST_CHANGE_PASSWORD_LOGIN',
        ],
      },
      { says: ['access denied for user … using password'] },
    ],
    example: raised(1045, 'ER_ACCESS_DENIED_ERROR'),
  },
  denied: {
    kind: 'forbidden',
    rank: 'cause',
    why: 'the user or host has no permission for it',
    when: {
      code: [
        ...numbers(1044, 1129, 1130, 1142, 1143, 1227, 1370),
        'ER_DBACCESS_DENIED_ERROR',
        'ER_HOST_IS_BLOCKED',
        'ER_HOST_NOT_PRIVILEGED',
        'ER_TABLEACCESS_DENIED_ERROR',
        'ER_SPECIFIC_ACCESS_DENIED_ERROR',
      ],
    },
    example: raised(1142, 'ER_TABLEACCESS_DENIED_ERROR'),
  },
  cut: {
    kind: 'network',
    rank: 'named',
    why: 'the server stopped, or the connection broke while in use',
    when: {
      code: [
        ...numbers(1053, 1077, 1079, 1158, 1159, 1160, 1161, 1184, 4031, 2006, 2013, 2055),
        'PROTOCOL_CONNECTION_LOST',
        'ER_SERVER_SHUTDOWN',
        'ER_SOCKET_UNEXPECTED_CLOSE',
        'ER_CLIENT_INTERACTION_TIMEOUT',
      ],
    },
    example: raised(1053, 'ER_SERVER_SHUTDOWN'),
  },
  refused: {
    kind: 'network',
    rank: 'named',
    effect: 'none',
    why: 'no connection to the server was made',
    when: [
      { code: numbers(2002, 2003) },
      { says: ['cant connect to (local|) (mysql|mariadb) server', 'connection is in closed state'] },
    ],
    example: raised(2003, 'CR_CONN_HOST_ERROR'),
  },
  host: {
    kind: 'dns',
    rank: 'named',
    effect: 'none',
    why: 'the host of the server is not known',
    when: [{ code: numbers(2005) }, { says: ['unknown (mysql|mariadb) server host'] }],
    example: raised(2005, 'CR_UNKNOWN_HOST'),
  },
  client_timeout: {
    kind: 'timeout',
    rank: 'named',
    why: 'the driver stopped waiting; the query continues on the server',
    when: { code: ['PROTOCOL_SEQUENCE_TIMEOUT', 'ER_SOCKET_TIMEOUT'] },
    example: { message: 'it failed', code: 'PROTOCOL_SEQUENCE_TIMEOUT' },
  },
})
