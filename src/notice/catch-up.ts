import type { Ledger } from '../ledger/ledger.ts'
import type { Time } from '../time/time.ts'
import { NoticeMaker } from './notice-maker.ts'

/** Makes the notices for everything that has happened so far. Works without a daemon: it only reads the ledger's events. */
export async function catchUpNotices(ledger: Ledger, time: Time): Promise<void> {
  const maker = new NoticeMaker({ ledger, time })
  await maker.catchUp().finally(() => maker.stop())
}
