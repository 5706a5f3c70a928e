import { afterEach, beforeEach, expect } from 'vitest'
import type { Capability } from '../src/capability/capability.ts'
import type { Operation } from '../src/ledger/operation.ts'
import type { OpenedQueue } from '../src/queue/open.ts'
import { FakeTime } from '../src/testing/core/fake-time.ts'
import { type Scripted, type ScriptedOptions, scriptedCapability } from '../src/testing/scripted.ts'
import { type TestQueueOptions, testQueue } from '../src/testing/test-queue.ts'

// Not part of the public test kit: set-up for the tests of the queue. Depends on the test runner.

/** The clock of the current test and, after {@link make}, its queue with the capability `work`. */
export let time: FakeTime
export let queue: OpenedQueue
export let scripted: Scripted

/**
 * Gives each test of a file its own clock, and closes its queue. Each test makes its queue with {@link make}.
 * @param now start of the clock, epoch milliseconds; default that of a {@link FakeTime}
 */
export function eachTest(now?: number): void {
  beforeEach(() => beginAt(now))
  afterEach(() => closeChecked(queue))
}

/** Replaces the clock. Call it before {@link make}. */
export function beginAt(now?: number): void {
  time = new FakeTime(now)
}

/** Closes a queue, and fails the test if it broke an invariant of the ledger. */
export async function closeChecked(given: OpenedQueue): Promise<void> {
  const findings = await given.ledger.check()
  await given.close()
  expect(findings).toEqual([])
}

/** Makes the queue with a scripted capability `work`. */
export async function make(
  given: Omit<ScriptedOptions, 'name'> = {},
  { with: others = [], ...more }: TestQueueOptions & { with?: readonly Capability[] } = {},
): Promise<void> {
  scripted = scriptedCapability({ name: 'work', ...given })
  ;({ queue } = await testQueue({ capabilities: [scripted.capability, ...others], time, ...more }))
}

/** Submits `work` and starts a runner. Returns the operation's id. */
export async function submitted(params: unknown = {}): Promise<string> {
  const { id } = await queue.submit('work', params)
  await queue.runner().start()
  return id
}

/** Moves the clock until the operation has ended, and returns it. */
export function ended(id: string): ReturnType<OpenedQueue['wait']> {
  return time.until(queue.wait(id))
}

/** The operation now. */
export async function now(id: string): Promise<Operation> {
  return (await queue.ledger.get(id)) as Operation
}
