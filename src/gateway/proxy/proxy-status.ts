import { billDay } from '../../ledger/bill.ts'
import { spendToJson } from '../../ledger/bill-shape.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { runningProxy } from './ask-proxy.ts'

/** Most lines of today's bill in a status. */
const MOST_LINES = 50

/**
 * What a status says about the proxy of a data folder, and about what was spent today.
 *
 * @param of without a `folder`, because a stranger may have chosen it, no proxy is asked
 */
export async function proxyStatusToJson(
  { ledger, folder }: { ledger: Pick<Ledger, 'bill'>; folder: string | undefined },
  now: number,
) {
  const [running, spent] = await Promise.all([
    folder === undefined ? undefined : runningProxy(folder),
    ledger.bill({ since: billDay(now), by: ['client', 'session', 'model'], limit: MOST_LINES }),
  ])
  return {
    proxy: running ? { url: running.url, holds: running.holds.length } : null,
    spent_today: spent.map(spendToJson),
  }
}
