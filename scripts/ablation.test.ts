import { describe, expect, it } from 'vitest'
import { classify } from '../src/failure/classify.ts'
import { gradesWith, PARTS } from './ablation.ts'

describe('the catalogue in parts', () => {
  it('each part knows less than the whole, and the language more than half of what vendors nobody described say', () => {
    const [whole = 0, ...parts] = Object.values(PARTS).map(
      rules => gradesWith(rules, 'blind-failures').classAccuracy ?? 0,
    )
    for (const part of parts) expect(part).toBeLessThan(whole)
    expect(parts[0]).toBeGreaterThan(0.5)
  })

  it('leaves the catalogue as it was', () => {
    gradesWith([], 'blind-failures')
    expect(classify('Too many requests')).toMatchObject({ class: 'throttle' })
  })
})
