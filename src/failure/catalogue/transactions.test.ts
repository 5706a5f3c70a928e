import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

const STATES = [
  'cannot rollback - no transaction is active',
  'cannot commit - no transaction is active',
  'cannot start a transaction within a transaction',
  'cannot rollback transaction - SQL statements in progress',
  'no such savepoint: sp1',
  'there is no transaction in progress',
  'ROLLBACK TO SAVEPOINT can only be used in transaction blocks',
  'savepoint "sp_1" does not exist',
  'The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION.',
  'This SqlTransaction has completed; it is no longer usable.',
  "ORA-01086: savepoint 'A' never established in this session or is invalid",
  "This Session's transaction has been rolled back due to a previous exception during flush.",
  'sql: transaction has already been committed or rolled back',
  'Transaction API error: Transaction already closed: A query cannot be executed on a closed transaction.',
  'Transaction is not started yet, start transaction before committing or rolling it back.',
  'Transaction cannot be rolled back because it has been finished with state: commit',
  'Cannot rollback when autoCommit is enabled.',
  'Transaction silently rolled back because it has been marked as rollback-only',
  'ERR DISCARD without MULTI',
  'EXECABORT Transaction discarded because of previous errors.',
  'commit unexpectedly resulted in rollback',
]
/** The ways in which databases throw it: plain, as a wrong statement, as a refused request. */
const ERRORS: Record<string, (message: string) => unknown> = {
  'a plain error': message => new Error(message),
  'an error of SQLite': message =>
    Object.assign(new Error(message), {
      code: 'ERR_SQLITE_ERROR',
      errcode: 1,
      errstr: 'SQL logic error',
    }),
  'an answer with status 400': message => ({ status: 400, body: { error: message } }),
}

describe.each(Object.entries(ERRORS))('the state of a transaction, as %s', (_, errorOf) => {
  it.each(STATES)('is no refused request, and may have done anything: %s', state => {
    const failure = classify(errorOf(state))
    expect(failure).toMatchObject({ class: 'unknown', effect: 'maybe' })
  })
})

it('the error that came before decides where it is known', () => {
  const full = new Error('database or disk is full')
  const hidden = new Error('cannot rollback - no transaction is active', { cause: full })
  expect(classify(hidden)).toMatchObject({ kind: 'disk_full' })
  expect(classify(new AggregateError([full, new Error('no transaction is active')]))).toMatchObject({
    kind: 'disk_full',
  })
})

describe('numbers of Oracle', () => {
  it.each([
    ['ORA-03113: end-of-file on communication channel', 'transient/network'],
    ['ORA-12541: TNS:no listener', 'transient/network'],
    ['ORA-00060: deadlock detected while waiting for resource', 'transient/conflict'],
    ['ORA-00001: unique constraint (A.B) violated', 'permanent/conflict'],
    ['ORA-01017: invalid username/password; logon denied', 'permanent/auth'],
    ['ORA-00942: table or view does not exist', 'permanent/not_found'],
    ['ORA-00054: resource busy and acquire with NOWAIT specified', 'transient/lock'],
    ['ORA-12899: value too large for column "A"."B"', 'permanent/invalid_request'],
  ])('%s', (message, kind) => {
    const failure = classify(Object.assign(new Error(message), { name: 'DatabaseError' }))
    expect(`${failure?.class}/${failure?.kind}`).toBe(kind)
  })
})
