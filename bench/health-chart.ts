import type { Result } from './health.ts'

const WIDTH = 760
const ROW = 46
const LEFT = 170
const BAR = 400

/** Bars of wasted calls by cause, with the share of calls that were served; readable on light and dark ground. */
export function chartOf(results: readonly Result[], calls: number): string {
  const most = Math.max(...results.map(({ wasted }) => wasted))
  const height = 96 + results.length * ROW
  const rows = results.map((result, index) => row(result, 76 + index * ROW, most)).join('\n')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title">
<title id="title">Requests sent in vain by each router, of ${calls} calls</title>
<style>
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .head { font-size: 15px; font-weight: 600; }
  .small { font-size: 12px; fill: #59636e; }
  .outage { fill: #b35900; } .quota { fill: #0969da; } .recovery { fill: #8250df; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; } .small { fill: #9198a1; }
    .outage { fill: #e3853a; } .quota { fill: #4493f8; } .recovery { fill: #ab7df8; }
  }
</style>
<text class="head" x="12" y="26">Requests sent to a provider that could not serve, of ${calls.toLocaleString('en')} calls</text>
${legend(50)}
${rows}
</svg>
`
}

function legend(y: number): string {
  return (['outage', 'quota', 'recovery'] as const)
    .map((cause, index) => {
      const x = LEFT + index * 150
      const words = { outage: 'in an outage', quota: 'on a used-up quota', recovery: 'while recovering' }[
        cause
      ]
      return `<rect class="${cause}" x="${x}" y="${y - 10}" width="11" height="11" rx="2"/><text class="small" x="${x + 17}" y="${y}">${words}</text>`
    })
    .join('\n')
}

function row(
  { name, wasted, ofOutage, ofQuota, ofRecovery, successRate }: Result,
  y: number,
  most: number,
): string {
  let x = LEFT
  const bars = [
    ['outage', ofOutage],
    ['quota', ofQuota],
    ['recovery', ofRecovery],
  ] as const
  const drawn = bars.map(([cause, count]) => {
    const width = (count / most) * BAR
    const bar = `<rect class="${cause}" x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="20"/>`
    x += width
    return bar
  })
  return `<text x="12" y="${y + 15}">${name}</text>
${drawn.join('\n')}
<text x="${(x + 8).toFixed(1)}" y="${y + 15}">${wasted.toLocaleString('en')}</text>
<text class="small" x="${LEFT}" y="${y + 35}">${(successRate * 100).toFixed(2)} % of calls served</text>`
}
