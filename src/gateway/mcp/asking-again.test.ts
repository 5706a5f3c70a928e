import { expect, it } from 'vitest'
import { AskingAgain, waitMsOf } from './asking-again.ts'

it.each([
  [undefined, 25_000],
  [10_000, 10_000],
  [0, 0],
  [-5, 0],
  [600_000, 25_000],
  [Infinity, 25_000],
  [Number.NaN, 25_000],
  ['30', 25_000],
])('waits, asked for %j ms, for %s ms: what is out of bounds is not refused', (given, ms) => {
  expect(waitMsOf(given)).toBe(ms)
})

it('never proposes the same call twice in a row, and forgets what nobody asks for', () => {
  const asking = new AskingAgain()
  const call = (of: string) => asking.next(of, undefined, 0, waitMs => `{"wait":${waitMs}}`)
  const calls = Array.from({ length: 30 }, () => call('op_1'))
  for (const [at, { waitMs, sentence }] of calls.entries()) {
    expect(waitMs).toBeGreaterThanOrEqual(15_000)
    if (at === 0) continue
    expect(waitMs).not.toBe(calls[at - 1]?.waitMs)
    expect(sentence).not.toBe(calls[at - 1]?.sentence)
  }
  for (let n = 0; n < 1_000; n++) call(`other_${n}`)
  expect(call('op_1').waitMs).toBe(calls[0]?.waitMs)
})

it('names the second from which asking makes sense; what is due within the wait may be asked for at once', () => {
  const asking = new AskingAgain()
  const at = (dueAt: number) => asking.next('x', dueAt, 1_000, () => 'y').at
  expect(at(40_500)).toBe(42_000)
  expect(at(5_000)).toBe(1_000)
  expect(at(-5_000)).toBe(1_000)
})
