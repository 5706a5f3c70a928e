import type { proxyStatusToJson } from '../../gateway/proxy/proxy-status.ts'
import { inNumbers } from './in-numbers.ts'

/** What waits in the proxy, and who spent what today; empty if there is nothing to say. */
export function proxyInWords({
  proxy,
  spent_today: spent,
}: Awaited<ReturnType<typeof proxyStatusToJson>>): string {
  const lines: string[] = []
  if (proxy)
    lines.push(
      `proxy      ${proxy.url}${proxy.holds === 0 ? '' : `, ${inNumbers(proxy.holds, 'question')} waiting; to list: mulligan proxy holds`}`,
    )
  if (spent.length > 0) {
    const byClient = new Map<string, number>()
    for (const { client, usd } of spent) {
      const name = client || 'unknown'
      byClient.set(name, (byClient.get(name) ?? 0) + usd)
    }
    const parts = [...byClient].map(([client, usd]) => `${client} ${inUsd(usd)}`)
    const unpriced = spent.reduce((sum, row) => sum + row.unpriced, 0)
    const without = unpriced === 0 ? '' : `, without ${inNumbers(unpriced, 'try', 'tries')} of unknown price`
    lines.push(
      `spent      ${inUsd(spent.reduce((sum, { usd }) => sum + usd, 0))} today (${parts.join(', ')}${without})`,
    )
  }
  return lines.map(line => `${line}\n`).join('')
}

function inUsd(usd: number): string {
  return `$${usd.toFixed(2)}`
}
