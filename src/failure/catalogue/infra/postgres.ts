import { family } from '../rule.ts'
import { words } from './example.ts'

const raised = (code: string, message: string, severity = 'ERROR') =>
  Object.assign(new Error(message), { name: 'error', severity, code, routine: 'x' })
const states = (list: string) => words(list, 'sqlstate=')
const classes = (list: string) => words(list, 'sqlstate_class=')

/** PostgreSQL by SQLSTATE. A failure inside a transaction is rolled back, so it leaves nothing behind. */
export default family('postgres', {
  collided: {
    kind: 'conflict',
    rank: 'cause',
    effect: 'none',
    why: 'two transactions collided and ours was rolled back; it can be repeated as a whole',
    when: { code: states('40001 40p01 40002 40000') },
    example: raised('40001', 'FEHLER: abgebrochen'),
  },
  locked: {
    kind: 'lock',
    rank: 'cause',
    effect: 'none',
    why: 'another session holds the lock or uses the object',
    when: { code: states('55p03 55006') },
    example: raised('55006', 'database "app" is being accessed by other users'),
  },
  statement_timeout: {
    kind: 'timeout',
    rank: 'named',
    effect: 'none',
    why: "the server's statement timeout passed; it was rolled back",
    when: { code: states('57014'), says: ['statement timeout'] },
    example: raised('57014', 'canceling statement due to statement timeout'),
  },
  cancelled: {
    kind: 'aborted',
    rank: 'cause',
    effect: 'none',
    why: 'the statement was cancelled; it was rolled back',
    when: {
      code: states('57014'),
      unless: ['statement timeout', 'conflict with recovery', 'lock timeout', 'timeout of'],
    },
    example: raised('57014', 'canceling statement due to user request'),
  },
  disk: {
    kind: 'disk_full',
    rank: 'cause',
    effect: 'none',
    why: 'the disk of the server is full; the statement was rolled back',
    when: { code: states('53100') },
    example: raised('53100', 'could not extend file'),
  },
  memory: {
    kind: 'out_of_memory',
    rank: 'cause',
    effect: 'none',
    why: 'the server has not enough memory for the statement',
    when: { code: states('53200') },
    example: raised('53200', 'no room'),
  },
  limit: {
    kind: 'config',
    rank: 'named',
    why: "a limit in the server's settings",
    when: { code: states('53400') },
    example: raised('53400', 'x'),
  },
  read_only: {
    kind: 'config',
    rank: 'cause',
    why: 'this server accepts no writes: a replica, or a setting',
    when: { code: states('25006') },
    example: raised('25006', 'x'),
  },
  echo: {
    kind: 'unknown',
    rank: 'named',
    effect: 'none',
    why: 'only says that an earlier statement of the transaction failed; that statement has the error',
    when: [{ code: states('25p02') }, { says: ['current transaction is aborted commands ignored'] }],
    example: raised(
      '25P02',
      'current transaction is aborted, commands ignored until end of transaction block',
    ),
  },
  no_database: {
    kind: 'not_found',
    rank: 'cause',
    why: 'there is no such database, schema, role or table',
    when: { code: states('3d000 3f000 42p01 42704') },
    example: raised('3D000', 'database "app" is missing', 'FATAL'),
  },
  exists: {
    class: 'permanent',
    kind: 'conflict',
    rank: 'cause',
    why: 'a row with that key already exists; after a lost answer it may be our own',
    when: { code: states('23505 23p01 42p04 42p06 42p07 42710') },
    example: raised('23505', 'x'),
  },
  no_right: {
    kind: 'permission',
    rank: 'cause',
    why: 'the user may not do that with this object',
    when: { code: states('42501') },
    example: raised('42501', 'must be owner of table t'),
  },
  statement: {
    kind: 'invalid_request',
    rank: 'named',
    why: 'the statement, its data or its names are wrong, or it violates the schema',
    when: { code: classes('0a 20 21 22 23 24 26 2b 2d 34 42 44 54 p0') },
    example: raised('22001', 'value too long for type character varying(3)'),
  },
  broken: {
    kind: 'io',
    rank: 'named',
    effect: 'maybe',
    why: 'the server cannot read or write its own files',
    when: { code: [...states('xx001 xx002'), ...classes('58')] },
    example: raised('XX001', 'invalid page'),
  },
  internal: {
    kind: 'server_error',
    rank: 'hint',
    why: 'an internal error of the server, or a message of a pooler in front of it',
    when: { code: classes('xx') },
    example: raised('XX000', 'x'),
  },
})
