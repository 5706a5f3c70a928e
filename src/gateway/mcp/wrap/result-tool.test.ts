import { expect, it } from 'vitest'
import type { Effect } from '../../../failure/failure.ts'
import type { Attempt } from '../../../ledger/attempt.ts'
import type { DeadOperation, OperationRecord } from '../../../ledger/operation.ts'
import { OperationFailed } from '../../../queue/error.ts'
import type { OperationResult } from '../../../queue/result.ts'
import { AskingAgain } from '../asking-again.ts'
import { resultFor } from './result-tool.ts'
import { taskOf } from './tasks.ts'

const record = {
  id: 'op_1',
  createdAt: 0,
  params: { tool: 'create_issue' },
  providers: [],
  failure: { class: 'transient', kind: 'network', message: 'it broke', fingerprint: 'fp1:x' },
  reason: 'retries are used up',
} as unknown as OperationRecord

const dead = (deadAs: DeadOperation['deadAs']): OperationResult => {
  const operation: DeadOperation = { ...record, state: 'dead', deadAs, endedAt: 1 }
  return { state: 'dead', operation, error: new OperationFailed(operation) }
}
const asking = new AskingAgain()
const again = (dueAt: number | undefined) =>
  asking.next('op_1', dueAt, 1_000, waitMs => `call it for ${waitMs}`)
const tried = (...effects: Effect[]) => effects.map(effect => ({ failure: { effect } }) as unknown as Attempt)
const textOf = (result: Record<string, unknown>) => (result.content as { text: string }[])[0]?.text

it('says whether a call that ended without a result may have happened', () => {
  const mayHave = /may have happened: check whether it did before you call create_issue again\.$/
  expect(textOf(resultFor(dead('exhausted'), tried('none', 'none'), again))).toBe(
    'The queued call of create_issue ended without a result: it broke; retries are used up. It was not carried out.',
  )
  expect(textOf(resultFor(dead('exhausted'), tried('maybe', 'none'), again))).toMatch(mayHave)
  expect(textOf(resultFor(dead('unverifiable'), tried('none'), again))).toMatch(mayHave)
  expect(textOf(resultFor(dead('cancelled'), [], again))).toBe(
    'The queued call of create_issue was cancelled. It was not carried out.',
  )
})

it('says the same of a task', () => {
  expect(JSON.parse(taskOf(dead('exhausted'), 'stateless', tried('maybe')))).toMatchObject({
    status: 'failed',
    error: { message: expect.stringContaining('may have happened') },
  })
})

it('says what a parked call waits for', () => {
  const operation = { ...record, state: 'parked' as const, parkedFor: 'login' as const, parkedAt: 1 }
  const found: OperationResult = { state: 'pending', operation }
  const result = resultFor(found, [], again)
  expect(textOf(result)).toMatch(
    /^Not done yet: it waits for a person who logs in \(it broke\)\. Tell the user/,
  )
  expect(result.isError).toBeUndefined()
  expect(result._meta).toMatchObject({ queued_for_retry: true, parked_for: 'login' })
  expect(JSON.parse(taskOf(found, 'session', []))).toMatchObject({
    status: 'working',
    statusMessage: 'waits for a person who logs in',
  })
})

it('says of a waiting call when to ask again, in other words each time, and is no error', () => {
  const operation = { ...record, state: 'scheduled' as const, dueAt: 61_000, mode: 'again' as const }
  const results = Array.from({ length: 12 }, () => resultFor({ state: 'pending', operation }, [], again))
  expect(textOf(results[0] as never)).toMatch(
    /^Not done yet: it runs at 1970-01-01T00:01:01\S*Z \(it broke\)\. .*Ask again in 61 s \(at 1970-01-01T00:01:02\S*Z\): call it for/,
  )
  expect(results.every(({ isError }) => isError === undefined)).toBe(true)
  for (const [at, result] of results.entries())
    if (at > 0) expect(textOf(result)).not.toBe(textOf(results[at - 1] as never))
  expect(results[0]?._meta).toMatchObject({ ask_again_at: expect.stringMatching(/^1970-01-01T00:01:02/) })
})
