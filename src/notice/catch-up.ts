import type { Ledger } from '../ledger/ledger.ts'
import type { Time } from '../time/time.ts'
import { NoticeMaker } from './notice-maker.ts'

/** Makes the notices of what happened until now, also without a daemon: what happened is known, and only has to be read. */
export async function catchUpNotices(ledger: Ledger, time: Time): Promise<void> {
  const maker = new NoticeMaker({ ledger, time })
  await maker.catchUp().finally(() => maker.stop())
}
