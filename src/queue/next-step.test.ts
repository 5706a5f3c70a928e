import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { nextStepFor } from './next-step.ts'

it('is what the shipped alert about a refused login says', () => {
  const alerts = readFileSync(
    new URL('../../examples/prometheus/mulligan-alerts.yml', import.meta.url),
    'utf8',
  )
  expect(alerts).toContain(nextStepFor('login', 'PROVIDER').replace('PROVIDER', '{{ $labels.provider }}'))
})
