import { afterEach, beforeEach, expect } from 'vitest'
import type { Capability } from '../capability/capability.ts'
import type { Operation } from '../ledger/operation.ts'
import type { OpenedQueue } from '../queue/open.ts'
import { FakeTime } from './fake-time.ts'
import { type Scripted, type ScriptedOptions, scriptedCapability } from './scripted.ts'
import { type TestQueueOptions, testQueue } from './test-queue.ts'

// Not of the kit that users get: the set-up of the tests of the queue, which needs the test runner.

/** What a test works with: a clock, and once it was made, a queue with the capability `work`. */
export let time: FakeTime
export let queue: OpenedQueue
export let scripted: Scripted

/**
 * Sets up the tests of a file: each has a clock of its own and makes its queue itself.
 * @param now epoch milliseconds at which the clock begins; default that of a {@link FakeTime}
 */
export function eachTest(now?: number): void {
  beforeEach(() => beginAt(now))
  afterEach(() => closeChecked(queue))
}

/** Begins with another clock, before anything is made. */
export function beginAt(now?: number): void {
  time = new FakeTime(now)
}

/** Closes a queue. Whatever a test did: nothing that the ledger promises may be broken by it. */
export async function closeChecked(given: OpenedQueue): Promise<void> {
  const findings = await given.ledger.check()
  await given.close()
  expect(findings).toEqual([])
}

/** Makes the queue, with `work` as it is scripted. */
export async function make(
  given: Omit<ScriptedOptions, 'name'> = {},
  { with: others = [], ...more }: TestQueueOptions & { with?: readonly Capability[] } = {},
): Promise<void> {
  scripted = scriptedCapability({ name: 'work', ...given })
  ;({ queue } = await testQueue({ capabilities: [scripted.capability, ...others], time, ...more }))
}

/** Submits `work` and starts a runner. Gives the id of the operation. */
export async function submitted(params: unknown = {}): Promise<string> {
  const { id } = await queue.submit('work', params)
  await queue.runner().start()
  return id
}

/** The operation once it has ended; the clock goes on until then. */
export function ended(id: string): ReturnType<OpenedQueue['wait']> {
  return time.until(queue.wait(id))
}

/** The operation as it stands. */
export async function now(id: string): Promise<Operation> {
  return (await queue.ledger.get(id)) as Operation
}
