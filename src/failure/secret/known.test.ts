import { afterEach, describe, expect, it } from 'vitest'
import { isRedacted, REDACTED, redact } from '../redact.ts'
import { compilePattern } from '../signature-pattern.ts'
import { hideMatches } from './known.ts'

afterEach(() => hideMatches([]))

describe('patterns of one’s own', () => {
  it('hide what they match, until others are in force', () => {
    hideMatches([compilePattern('redact', 'acme-[0-9]{6}')])
    expect(redact('refused for ACME-123456 today')).toBe(`refused for ${REDACTED} today`)
    expect(isRedacted('acme-654321')).toBe(false)
    hideMatches([])
    expect(redact('refused for acme-123456')).toBe('refused for acme-123456')
  })

  it('must compile', () => {
    expect(() => hideMatches([compilePattern('redact', '(')])).toThrow(/cannot be used/)
  })
})
