import { expect, it } from 'vitest'
import { soak } from './soak.ts'

it('eight hours with providers that fail and recover lose no operation', async () => {
  const report = await soak({ operations: 1_500, hours: 8 })
  expect(report).toMatchObject({ submitted: 1_500, succeeded: 1_500, lost: 0, findings: 0 })
  // Most operations that could not run were held, not tried.
  expect(report.held).toBeGreaterThan(100)
  expect(report.refused).toBeLessThan(report.held)
})
