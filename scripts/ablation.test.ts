import { describe, expect, it } from 'vitest'
import { CATALOGUE, PARTS } from '../src/failure/catalogue/index.ts'
import { classify } from '../src/failure/classify.ts'
import { gradesWith, labelled } from './ablation.ts'

describe('the catalogue in parts', () => {
  const set = labelled().get('blind-mixed-4') ?? []

  it('is better as a whole than any part of it, and language alone gets most of a new set right', () => {
    const whole = gradesWith(CATALOGUE, set).classAccuracy ?? 0
    for (const part of Object.values(PARTS)) expect(gradesWith(part, set).classAccuracy).toBeLessThan(whole)
    expect(gradesWith(PARTS.language, set).classAccuracy).toBeGreaterThan(0.7)
  })

  it('is unchanged after a part was measured', () => {
    gradesWith([], set)
    expect(classify('Too many requests')).toMatchObject({ class: 'throttle' })
  })
})
