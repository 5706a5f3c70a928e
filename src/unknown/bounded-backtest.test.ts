import { describe, expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { realTime } from '../time/time.ts'
import { boundedBacktest } from './bounded-backtest.ts'
import type { RecordedFailure } from './recorded-failures.ts'

const failure = classify('flux capacitor 7 hums oddly', { now: 0 }) as Failure
const many = Array.from(
  { length: 5 },
  (_, n) => ({ pattern: `flux \\w+ ${n + 3}`, class: 'transient' }) as const,
)
const never = new AbortController().signal

async function* recorded(count: number): AsyncGenerator<RecordedFailure> {
  for (let n = 0; n < count; n++) yield { failure }
}

/** Failures of which more could always come, so that the backtest cannot end before it is ended. */
async function* endless(onWait: () => void): AsyncGenerator<RecordedFailure> {
  yield* recorded(100)
  // Asked for more only once the thread has tried these.
  onWait()
  await new Promise(() => {})
}

describe('a bounded backtest', () => {
  it.each([
    ['few signatures, tried here', many.slice(4)],
    ['many, tried on a thread', many],
  ])('says what %s, would change', async (_name, signatures) => {
    const written = { form: 'list', signatures } as const
    const { report } = await boundedBacktest(written, recorded(250), { time: realTime, signal: never })
    expect(report).toMatchObject({
      matched: 250,
      changes: [{ from: 'unknown', to: 'transient', count: 250 }],
    })
  })

  it('lists the mistakes of a text that the thread read', async () => {
    const text = `[[signature]]\nclass = "transient"\npattern = "("\n# ${'long '.repeat(300)}\n`
    const written = { form: 'pack', text, file: 'team.toml', allow: false } as const
    await expect(
      boundedBacktest(written, recorded(1), { time: realTime, signal: never }),
    ).rejects.toMatchObject({ name: 'ConfigError', problems: [{ file: 'team.toml', line: 3 }] })
  })

  it('that takes too long is ended, and says how far it came and what to do', async () => {
    const time = new FakeTime()
    const failures = endless(() => void time.advance(30_000))
    const tried = boundedBacktest({ form: 'list', signatures: many }, failures, { time, signal: never })
    await expect(tried).rejects.toMatchObject({
      code: 'too_long',
      message:
        'the backtest did not end within 30 s, having tried 100 recorded failures; try fewer or simpler patterns at once, or without a limit: mulligan backtest FILE',
    })
  })

  it.each([
    ['here', many.slice(4)],
    ['on a thread', many],
  ])('%s ends when its caller goes away', async (_name, signatures) => {
    const caller = new AbortController()
    const failures = endless(() => caller.abort(new Error('gone')))
    await expect(
      boundedBacktest({ form: 'list', signatures }, failures, {
        time: new FakeTime(),
        signal: caller.signal,
      }),
    ).rejects.toThrow('gone')
  })
})
