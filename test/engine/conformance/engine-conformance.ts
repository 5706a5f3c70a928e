import { describe } from 'vitest'
import { citizensConformance } from './citizens.ts'
import { claimLoopConformance } from './claim-loop.ts'
import { claimingConformance } from './claiming.ts'
import { leasesConformance } from './leases.ts'
import { maintenanceConformance } from './maintenance.ts'
import { providersConformance } from './providers.ts'
import { type EngineUnderTest, eachTest } from './setting.ts'

/** What every engine promises; the test of each implementation calls it. */
export function engineConformance(name: string, make: () => Promise<EngineUnderTest>): void {
  describe(`${name}, as an engine`, () => {
    eachTest(make)
    claimingConformance()
    leasesConformance()
    providersConformance()
    maintenanceConformance()
    claimLoopConformance()
    citizensConformance()
  })
}
