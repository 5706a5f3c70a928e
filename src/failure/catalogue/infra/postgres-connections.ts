import { family } from '../rule.ts'
import { words } from './example.ts'

const raised = (code: string, message: string, severity = 'ERROR') =>
  Object.assign(new Error(message), { name: 'error', severity, code, routine: 'x' })
const states = (list: string) => words(list, 'sqlstate=')
const classes = (list: string) => words(list, 'sqlstate_class=')

/** Connections to PostgreSQL, by SQLSTATE. */
export default family('postgres', {
  shut_down: {
    kind: 'server_error',
    rank: 'named',
    why: 'the server ended the session because it stopped or crashed; a commit may or may not have gone through',
    when: [
      { code: states('57p01 57p02') },
      {
        says: [
          'terminating connection due to administrator command',
          'terminating connection because of crash',
        ],
      },
    ],
    example: raised('57P01', 'terminating connection due to administrator command', 'FATAL'),
  },
  starting: {
    kind: 'loading',
    rank: 'named',
    effect: 'none',
    why: 'the server is starting, stopping or recovering and accepts no connections yet',
    when: [
      { code: states('57p03') },
      {
        says: [
          'database system is (starting up|shutting down|in recovery mode|not accepting connections|not yet accepting connections)',
        ],
      },
    ],
    example: raised('57P03', 'the database system is shutting down', 'FATAL'),
  },
  idle: {
    kind: 'network',
    rank: 'named',
    effect: 'none',
    why: 'the server ended an idle session',
    when: [
      { code: states('57p05 25p03') },
      { says: ['due to idle session timeout', 'due to idle in transaction timeout'] },
    ],
    example: raised('25P03', 'terminating connection due to idle-in-transaction timeout', 'FATAL'),
  },
  full: {
    kind: 'overloaded',
    rank: 'named',
    effect: 'none',
    why: 'all connections are in use; one becomes free when another ends',
    when: [
      { code: states('53300') },
      {
        says: [
          'too many clients already',
          'remaining connection slots are reserved',
          'too many connections for (role|database)',
        ],
      },
    ],
    example: raised('53300', 'sorry, too many clients already', 'FATAL'),
  },
  never_connected: {
    kind: 'network',
    rank: 'named',
    effect: 'none',
    why: 'the connection was not made or not accepted',
    when: { code: states('08001 08004') },
    example: raised('08001', 'x'),
  },
  connection: {
    kind: 'network',
    rank: 'said',
    why: 'the connection broke',
    when: { code: classes('08') },
    example: raised('08006', 'x'),
  },
  protocol: {
    kind: 'config',
    rank: 'cause',
    why: 'client, pooler and server do not speak the same protocol',
    when: { code: states('08p01') },
    example: raised('08P01', 'x'),
  },
  login: {
    kind: 'auth',
    rank: 'named',
    why: 'the server does not accept the user, the password or the login method',
    when: [{ code: classes('28') }, { says: ['no pg hba conf entry', 'tenant or user not found'] }],
    example: raised('28000', 'no pg_hba.conf entry for host "192.0.2.1"', 'FATAL'),
  },
})
