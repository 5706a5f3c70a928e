import { describe, expect, it } from 'vitest'
import { LONGEST_PREVIEW } from '../ledger/notice.ts'
import { previewOf } from './about-operation.ts'

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
