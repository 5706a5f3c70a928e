import { afterEach, beforeEach } from 'vitest'
import type { Failure } from '../../../src/failure/failure.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import type { NewOperation } from '../../../src/ledger/operation.ts'
import type { EndingVerdict } from '../../../src/ledger/settlement.ts'
import { keys } from '../../../src/provider/keys.ts'
import type { Time } from '../../../src/time/time.ts'
import { attemptOf, RETRY } from './samples.ts'

/** A clock that the test controls. */
export interface TestTime extends Time {
  advance(ms: number): Promise<void>
  jump(ms: number): void
}

/** What a ledger test needs: the ledger on that clock, and a second one on the same data, as in another process. */
export interface LedgerUnderTest {
  ledger: Ledger
  other: Ledger
  time: TestTime
  /** Whether the ledger has its own file, which it backs up and compacts; otherwise a server does both. Default true. */
  hasFile?: boolean
  close: () => Promise<void>
}

/** The ledger of the current test, and the same data as seen by another process. */
export let ledger: Ledger
export let other: Ledger
export let time: TestTime
export let hasFile: boolean

/** Gives each test of the current `describe` its own ledger. */
export function eachTest(make: () => Promise<LedgerUnderTest>): void {
  let end: () => Promise<void>
  beforeEach(async () => {
    ;({ ledger, other, time, hasFile = true, close: end } = await make())
  })
  afterEach(() => end())
}

export async function insert(more: Partial<NewOperation> = {}): Promise<string> {
  const operation = { capability: 'summarise', params: { n: 1 }, ...more }
  const [inserted] = await ledger.transaction(writes => writes.insert([operation]))
  return inserted?.id as string
}
/** Closes a provider, as a person does by pausing it. */
export async function close(provider: string): Promise<void> {
  const { version } = await ledger.providers.read(keys.pause(provider))
  await ledger.providers.compareAndSet(keys.pause(provider), version, { at: time.now() })
}
/** Ends that. */
export async function reopen(provider: string): Promise<void> {
  const { version } = await ledger.providers.read(keys.pause(provider))
  await ledger.providers.compareAndSet(keys.pause(provider), version, undefined)
}
export async function start(id: string): Promise<number> {
  const started = await ledger.transaction(writes => writes.start(id))
  return started?.operation.run as number
}
export async function fail(id: string, failure: Failure, verdict: EndingVerdict = RETRY) {
  const run = await start(id)
  return ledger.transaction(writes =>
    writes.settle({ id, run }, { verdict, attempt: attemptOf(time, { failure }) }),
  )
}
export async function succeed(id: string, result?: unknown) {
  const run = await start(id)
  return ledger.transaction(writes =>
    writes.settle({ id, run }, { succeeded: true, result, attempt: attemptOf(time) }),
  )
}
