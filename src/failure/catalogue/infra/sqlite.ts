import { family } from '../rule.ts'
import { coded, numbered, words } from './example.ts'

const builtin = (errcode: number, message = 'x') => coded('ERR_SQLITE_ERROR', message, { errcode })
const primary = (...codes: number[]) => numbered('sqlite=', ...codes)
const extended = (...codes: number[]) => numbered('errcode=', ...codes)
const names = (list: string) => words(list, 'SQLITE_')

/** SQLite: node:sqlite gives numbers, others give names. The lowest byte of a number is its family. */
export default family('sqlite', {
  busy: {
    kind: 'lock',
    rank: 'named',
    effect: 'none',
    why: 'another connection is writing; waiting helps',
    when: {
      code: [
        ...primary(15, 17),
        ...extended(5, 261, 773),
        ...names('BUSY BUSY_RECOVERY BUSY_TIMEOUT PROTOCOL SCHEMA'),
        ...extended(262),
        'SQLITE_LOCKED_SHAREDCACHE',
      ],
    },
    example: builtin(15, 'locking protocol'),
  },
  snapshot: {
    kind: 'conflict',
    rank: 'named',
    effect: 'none',
    why: "the transaction's snapshot is outdated; waiting does not help, starting over does",
    when: { code: [...extended(517), 'SQLITE_BUSY_SNAPSHOT'] },
    example: builtin(517, 'x'),
  },
  own_lock: {
    kind: 'code_bug',
    rank: 'said',
    why: 'our own connection holds the lock it waits for',
    when: [{ code: ['errcode=6', 'SQLITE_LOCKED'] }],
    example: builtin(6, 'x'),
  },
  read_only: {
    kind: 'config',
    rank: 'said',
    why: 'the file or its folder cannot be written, or was moved away',
    when: {
      code: [
        ...primary(8),
        ...names('READONLY READONLY_DBMOVED READONLY_DIRECTORY READONLY_CANTINIT READONLY_CANTLOCK'),
      ],
    },
    example: builtin(1032),
  },
  hot_journal: {
    kind: 'lock',
    rank: 'named',
    effect: 'none',
    why: 'an interrupted transaction must be rolled back first, by a user with write access',
    when: { code: [...extended(264, 776), ...names('READONLY_RECOVERY READONLY_ROLLBACK')] },
    example: builtin(776),
  },
  io: {
    kind: 'io',
    rank: 'named',
    effect: 'maybe',
    why: 'the disk or its file system failed',
    when: [{ code: [...primary(10), 'SQLITE_IOERR'] }, { says: ['sqlite ioerr', 'disk i o error'] }],
    example: builtin(778),
  },
  damaged: {
    kind: 'config',
    rank: 'named',
    why: 'the file is not a database or is damaged',
    when: [
      { code: [...primary(11, 26), ...names('CORRUPT NOTADB CORRUPT_VTAB CORRUPT_SEQUENCE CORRUPT_INDEX')] },
      {
        says: [
          'database disk image is malformed',
          'file is not a database',
          'file is encrypted or is not a database',
        ],
      },
    ],
    example: builtin(26, 'file is not a database'),
  },
  cannot_open: {
    kind: 'config',
    rank: 'said',
    why: 'the file cannot be opened; often its folder is missing',
    when: [
      { code: [...primary(14), ...names('CANTOPEN CANTOPEN_ISDIR CANTOPEN_FULLPATH CANTOPEN_DIRTYWAL')] },
      { says: ['unable to open database file'] },
    ],
    example: builtin(14, 'unable to open database file'),
  },
  full: {
    kind: 'disk_full',
    rank: 'cause',
    effect: 'none',
    why: 'no disk space for the file',
    when: { code: [...primary(13), 'SQLITE_FULL'] },
    example: builtin(13),
  },
  memory: {
    kind: 'out_of_memory',
    rank: 'cause',
    effect: 'none',
    why: 'memory ran out',
    when: { code: [...primary(7), 'SQLITE_NOMEM'] },
    example: builtin(7),
  },
  interrupted: {
    kind: 'aborted',
    rank: 'named',
    effect: 'none',
    why: 'the program interrupted its own statement',
    when: { code: [...primary(9), 'SQLITE_INTERRUPT'] },
    example: builtin(9, 'interrupted'),
  },
  too_large: {
    kind: 'request_too_large',
    rank: 'named',
    why: 'a value larger than the database accepts',
    when: { code: [...primary(18), 'SQLITE_TOOBIG'] },
    example: builtin(18),
  },
  exists: {
    class: 'permanent',
    kind: 'conflict',
    rank: 'named',
    why: 'the key already exists',
    when: [
      {
        code: [...extended(2067, 1555), ...names('CONSTRAINT_UNIQUE CONSTRAINT_PRIMARYKEY CONSTRAINT_ROWID')],
      },
      { says: ['unique constraint failed'] },
    ],
    example: builtin(2067, 'UNIQUE constraint failed: t.id'),
  },
  constraint: {
    kind: 'invalid_request',
    rank: 'said',
    why: 'the data violates the schema',
    when: [
      {
        code: [
          ...primary(19),
          ...names(
            'CONSTRAINT CONSTRAINT_NOTNULL CONSTRAINT_CHECK CONSTRAINT_FOREIGNKEY CONSTRAINT_TRIGGER CONSTRAINT_DATATYPE',
          ),
        ],
      },
      { says: ['(not null|check|foreign key) constraint failed'] },
    ],
    example: builtin(787, 'FOREIGN KEY constraint failed'),
  },
  statement: {
    kind: 'invalid_request',
    rank: 'hint',
    why: 'the statement or its names are wrong',
    when: { code: [...primary(1, 20), ...names('ERROR MISMATCH AUTH')] },
    example: builtin(20),
  },
  misuse: {
    kind: 'code_bug',
    rank: 'named',
    why: 'the library was called in a wrong way',
    when: { code: [...primary(21, 25), ...names('MISUSE RANGE')] },
    example: builtin(21),
  },
})
