import { describe, expect, it } from 'vitest'
import { LONGEST_PREVIEW } from '../ledger/notice.ts'
import type { Operation } from '../ledger/operation.ts'
import { noticesAboutOperation, previewOf } from './about-operation.ts'

describe('the notice about a dead operation', () => {
  it.each([
    ['refused', 'Run it again: mulligan ops retry op_1'],
    [
      'unverifiable',
      'Check whether it happened. To run it again all the same: mulligan ops retry op_1 --may-repeat',
    ],
    ['cancelled', 'Details: mulligan ops show op_1'],
  ])('that was %s ends: %s', (as, words) => {
    const operation = {
      id: 'op_1',
      capability: 'pay',
      source: 'submit',
      providers: [],
    } as unknown as Operation
    const [notice] = noticesAboutOperation(
      { id: 1, at: 0, type: 'dead', operation: 'op_1', data: { as } },
      operation,
    )
    expect(notice?.body.split('\n').at(-1)).toBe(words)
  })
})

it('finds only what died as it did, if it died without a failure', () => {
  const waited = {
    id: 'op_1',
    capability: 'pay',
    source: 'submit',
    providers: [],
  } as unknown as Operation
  const failed = { ...waited, failure: { fingerprint: 'fp2:1' } } as Operation
  const causeOf = (operation: Operation) =>
    noticesAboutOperation(
      { id: 1, at: 0, type: 'dead', operation: 'op_1', data: { as: 'expired' } },
      operation,
    )[0]?.cause
  expect(causeOf(waited)).toBe('--state dead --capability pay --as expired')
  expect(causeOf(failed)).toBe('--state dead --capability pay --fingerprint fp2:1')
})

describe('the beginning of a result', () => {
  it('holds no half of a secret that stood where it was cut', () => {
    const key = 'sk-ant-api03-Zx8Kq2LmN7pRt5Vw9YbCd3FgHjUsE1'
    for (let before = LONGEST_PREVIEW - key.length; before < LONGEST_PREVIEW; before++) {
      const preview = previewOf(`${'x'.repeat(before - 1)} ${key} and more`)
      expect(preview.length).toBeLessThanOrEqual(LONGEST_PREVIEW)
      expect(preview).not.toContain('Zx8Kq2')
      expect(preview).not.toContain('sk-ant')
    }
  })
})
