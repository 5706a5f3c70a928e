import { describe, expect, it } from 'vitest'
import { classify } from '../src/failure/classify.ts'
import { gradesWith, PARTS } from './ablation.ts'

describe('the catalogue in parts', () => {
  it('each part is worse than the whole, and language rules alone get more than half of the undescribed vendors right', () => {
    const [whole = 0, ...parts] = Object.values(PARTS).map(
      rules => gradesWith(rules, 'blind-failures').classAccuracy ?? 0,
    )
    for (const part of parts) expect(part).toBeLessThan(whole)
    expect(parts[0]).toBeGreaterThan(0.5)
  })

  it('leaves the catalogue unchanged', () => {
    gradesWith([], 'blind-failures')
    expect(classify('Too many requests')).toMatchObject({ class: 'throttle' })
  })
})
