import type { proxyStatusToJson } from '../../gateway/proxy/proxy-status.ts'
import type { BillRow } from '../../ledger/bill.ts'
import { inNumbers } from './in-numbers.ts'

/**
 * What waits in the proxy, and who spent what today; empty if there is nothing to say.
 *
 * @param spent today, by client: those of a status are cut
 */
export function proxyInWords(
  { proxy }: Pick<Awaited<ReturnType<typeof proxyStatusToJson>>, 'proxy'>,
  spent: readonly BillRow[],
): string {
  const lines: string[] = []
  if (proxy)
    lines.push(
      `proxy      ${proxy.url}${proxy.holds === 0 ? '' : `, ${inNumbers(proxy.holds, 'question')} waiting; to list: mulligan proxy holds`}`,
    )
  if (spent.length > 0) {
    const parts = spent.map(({ client, usd }) => `${client || 'unknown'} ${inUsd(usd)}`)
    const unpriced = spent.reduce((sum, row) => sum + row.unpriced, 0)
    const without = unpriced === 0 ? '' : `, without ${inNumbers(unpriced, 'try', 'tries')} of unknown price`
    lines.push(
      `spent      ${inUsd(spent.reduce((sum, { usd }) => sum + usd, 0))} today (${parts.join(', ')}${without})`,
    )
  }
  return lines.map(line => `${line}\n`).join('')
}

/** Less than a cent with as many digits as it needs. */
function inUsd(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2)}`
}
