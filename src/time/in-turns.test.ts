import { expect, it } from 'vitest'
import { inTurns } from './in-turns.ts'

it('maps in order, and lets others run in between, however many map at once', async () => {
  const busy = (n: number) => {
    for (const end = performance.now() + 6; performance.now() < end; );
    return n * 2
  }
  let rounds = 0
  let isOver = false
  const count = () => {
    rounds++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const [a, b] = await Promise.all([inTurns([1, 2, 3, 4], busy), inTurns([5, 6, 7, 8], busy)])
  isOver = true
  expect([a, b]).toEqual([
    [2, 4, 6, 8],
    [10, 12, 14, 16],
  ])
  // Each of the six turns after the first two has a round of its own.
  expect(rounds).toBeGreaterThanOrEqual(6)
})
