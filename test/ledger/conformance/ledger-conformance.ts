import { describe } from 'vitest'
import { billConformance } from './bill.ts'
import { changesConformance } from './changes.ts'
import { eventsConformance } from './events.ts'
import { listsConformance } from './lists.ts'
import { noticesConformance } from './notices.ts'
import { operationsConformance } from './operations.ts'
import { rejudgingConformance } from './rejudging.ts'
import { runsConformance } from './runs.ts'
import { eachTest, type LedgerUnderTest } from './setting.ts'
import { unknownsConformance } from './unknowns.ts'
import { upkeepConformance } from './upkeep.ts'
import { workflowsConformance } from './workflows.ts'

/** What every ledger promises; the test of each implementation calls it. */
export function ledgerConformance(name: string, make: () => Promise<LedgerUnderTest>): void {
  describe(`${name}, as a ledger`, () => {
    eachTest(make)
    operationsConformance()
    runsConformance()
    changesConformance()
    eventsConformance()
    listsConformance()
    unknownsConformance()
    rejudgingConformance()
    noticesConformance()
    workflowsConformance()
    upkeepConformance()
    billConformance()
  })
}
