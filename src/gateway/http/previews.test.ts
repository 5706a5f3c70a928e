import { expect, it } from 'vitest'
import type { BulkPreview } from '../../queue/bulk-outcome.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { PREVIEW_VALID_MS, Previews } from './previews.ts'

const preview = (count = 1): BulkPreview => ({
  action: 'cancel',
  total: count,
  counts: {},
  moves: Array.from({ length: count }, () => ({
    id: 'op_1',
    capability: 'x',
    state: 'dead',
    outcome: 'none',
  })),
})

function previews() {
  const time = new FakeTime()
  let last = 0
  return { time, kept: new Previews(time, () => `token-${++last}`) }
}

it('returns each preview once, until it expires', () => {
  const { time, kept } = previews()
  const [young, old] = [kept.keep(preview()).token, kept.keep(preview()).token]
  expect(kept.take(young)).toMatchObject({ total: 1 })
  expect(kept.take(young)).toBeUndefined()
  time.jump(PREVIEW_VALID_MS)
  expect(kept.take(old)).toBeUndefined()
})

it('keeps the newest, however large, and no more than the memory limit', () => {
  const { kept } = previews()
  const first = kept.keep(preview()).token
  const large = kept.keep(preview(600_000)).token
  expect(kept.take(first)).toBeUndefined()
  expect(kept.take(large)?.total).toBe(600_000)
})
