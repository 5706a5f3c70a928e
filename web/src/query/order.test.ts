import { expect, it } from 'vitest'
import { countInWords } from '../words/number.ts'
import { leftOutInWords, nextOrder, orderOf } from './order.ts'

it('says what a sorted list leaves out, and among how many it was sorted', () => {
  expect(leftOutInWords('sort=cost', 200, 201)).toBe('only the first 200 are shown')
  expect(leftOutInWords('sort=cost', 200, 10_001)).toBe(
    `only the first 200 are shown, sorted among the newest ${countInWords(10_000)}`,
  )
  expect(leftOutInWords('sort=cost', 200, 200)).toBe('')
  // Newest first goes on as far as one scrolls.
  expect(leftOutInWords('', 200, 10_001)).toBe('')
})

it('goes from largest to smallest to newest first by clicks on a column', () => {
  const first = nextOrder('', 'cost')
  const second = nextOrder(first, 'cost')
  expect([first, second, nextOrder(second, 'cost')]).toEqual(['sort=cost', 'sort=cost&ascending=true', ''])
  expect(orderOf(new URLSearchParams(second))).toBe(second)
  expect(orderOf(new URLSearchParams('sort=moon'))).toBe('')
})
