import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts'
import { LedgerError, type LedgerErrorCode } from '../ledger/error.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import type { ScriptStep } from '../testing/core/script.ts'
import { memoryLedger } from '../testing/memory-ledger.ts'
import { scriptedCapability } from '../testing/scripted.ts'
import { testQueue } from '../testing/test-queue.ts'
import type { OpenedQueue } from './open.ts'
import type { QueueProblem } from './queue-deps.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

let time: FakeTime
let queue: OpenedQueue
let problems: QueueProblem[]
/** What a method of the engine throws, while it has an entry here. */
const broken = new Map<string, LedgerErrorCode>()

beforeEach(() => {
  time = new FakeTime()
  problems = []
  broken.clear()
})
afterEach(async () => {
  broken.clear()
  const findings = await queue.ledger.check()
  await time.until(queue.close())
  expect(findings).toEqual([])
})

/** A queue whose ledger can be made to fail, with a runner; returns the names of its tries. */
async function started(
  retry: 'none' | 'verify_first',
  verify?: () => boolean,
  steps: readonly ScriptStep[] = [],
) {
  const ledger = await memoryLedger({ time })
  const engine = new Proxy(new EmbeddedEngine({ ledger: ledger as never }), {
    get: (target, name) => {
      const code = broken.get(String(name))
      if (code) return () => Promise.reject(new LedgerError(code, `cannot write: ${code}`))
      const member = Reflect.get(target, name) as unknown
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  const { capability, script } = scriptedCapability({
    name: 'pay',
    retry,
    rest: 'paid',
    script: steps,
    ...(verify ? { verify } : {}),
  })
  ;({ queue } = await testQueue({
    capabilities: [capability],
    time,
    ledger,
    engine,
    leaseMs: 5 * SECOND,
    onProblem: problem => problems.push(problem),
  }))
  const runner = queue.runner()
  await runner.start()
  const { id } = await queue.submit('pay', {})
  return { id, script, runner }
}

describe('a run whose end cannot be stored', () => {
  it.each(['full', 'io', 'read_only', 'locked'] as const)(
    'because the ledger is %s waits until it can be, and the work is not done again',
    async code => {
      broken.set('settle', code)
      const { id, script } = await started('none')
      await time.advance(MINUTE)
      expect(script.tries).toHaveLength(1)
      expect(await queue.ledger.get(id)).toMatchObject({ state: 'running', run: 1 })
      expect(problems.filter(({ about }) => about === 'queue')).toHaveLength(1)
      broken.clear()
      expect(await time.until(queue.wait(id))).toMatchObject({ state: 'succeeded', result: 'paid', run: 1 })
      expect(script.tries).toHaveLength(1)
    },
  )

  it('waits as long as it was meant to, although the clock was set back before it could be stored', async () => {
    broken.set('settle', 'full')
    time.jump(60 * MINUTE)
    const { id, script } = await started('none', undefined, [
      { throws: { status: 429, headers: { 'retry-after': '120' }, body: 'Too Many Requests' } },
    ])
    await time.advance(SECOND)
    expect(script.tries).toHaveLength(1)
    time.jump(-60 * MINUTE)
    broken.clear()
    await time.advance(10 * SECOND)
    const waiting = await queue.ledger.get(id)
    if (waiting?.state !== 'scheduled') throw new Error(`it is ${waiting?.state}`)
    expect(waiting.dueAt).toBeGreaterThan(time.now() + MINUTE)
    expect(waiting.dueAt).toBeLessThan(time.now() + 2 * MINUTE)
  })

  it('for good is taken over as lost by the same runner, and not repeated blindly', async () => {
    broken.set('settle', 'corrupt')
    const { id, script } = await started('none')
    await time.advance(SECOND)
    broken.clear()
    expect(await time.until(queue.wait(id))).toMatchObject({ state: 'dead', deadAs: 'unverifiable', run: 2 })
    expect(script.tries).toHaveLength(1)
    expect((await queue.ledger.attempts(id))[0]?.failure).toMatchObject({
      kind: 'runner_lost',
      effect: 'maybe',
    })
  })

  it('is checked if it can be verified', async () => {
    broken.set('settle', 'corrupt')
    const { id, script } = await started('verify_first', () => true)
    await time.advance(SECOND)
    broken.clear()
    expect(await time.until(queue.wait(id))).toMatchObject({ state: 'succeeded' })
    expect(script.tries).toHaveLength(1)
  })

  it('does not keep a runner from stopping', async () => {
    broken.set('settle', 'full')
    broken.set('release', 'full')
    const { id, script, runner } = await started('none')
    await time.advance(SECOND)
    await time.until(runner.stop())
    expect(script.tries).toHaveLength(1)
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'running', run: 1 })
  })
})
