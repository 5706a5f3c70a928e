import type { Figure } from '../bench/figures.ts'

/** What one measurement found, as kept in `bench/results/NAME.json`. */
export interface Measurement {
  commit: string
  /** RFC 3339. */
  at: string
  machine: string
  /** Cores in use when it began: from 1 on, others used the machine too. Until 18 November 2026 the load average of a minute. */
  load: number
  /** The figures of each run. */
  runs: readonly (readonly Figure[])[]
}

export interface Group {
  id: string
  title: string
  /** One sentence: what the figures mean. */
  about: string
  measurements: readonly { name: string; measurement: Measurement; commitsSince: number }[]
  /** Names of measurements that have no figures. */
  missing: readonly string[]
}

/** The performance page: ratios with their spread, and where each comes from. */
export function performancePage(groups: readonly Group[]): string {
  const sections = groups.map(group => {
    if (group.measurements.length === 0) return `## ${group.title}\n\n${missingOf(group)}`
    const rows = group.measurements.flatMap(({ measurement }) => rowsOf(measurement))
    return `## ${group.title}

${group.about}

![${group.title}](performance-${group.id}.svg)

| | ours | others | ratio | to reach |
|---|---|---|---|---|
${rows.map(({ cells }) => `| ${cells.join(' | ')} |`).join('\n')}

${[sourcesOf(group.measurements), missingOf(group)].filter(Boolean).join('\n')}`
  })
  return `# Performance

Written by \`npm run bench\`, which runs each measurement beside its peers and keeps what it printed in
[bench/results](../bench/results). Figures vary with the machine, so compare the ratios: how many times as good as the other,
median of the runs, with the lowest and highest in brackets. Above 1 is better for us. A load above 1 means a busy machine: so many cores others used when it began.

${sections.join('\n\n')}
`
}

function missingOf({ missing }: Group): string {
  const commands = missing.map(name => `\`npm run bench -- all ${name}\``)
  return commands.length === 0 ? '' : `No figures kept yet: ${commands.join(', ')}.`
}

interface Row {
  what: string
  values: Readonly<Record<string, number>>
  ratios: Readonly<Record<string, readonly number[]>>
  cells: readonly string[]
}

/** A line per figure, with the medians of its runs. */
export function rowsOf({ runs }: Measurement): Row[] {
  return (runs[0] ?? []).map(({ what, unit, better, aim }) => {
    const all = runs.flatMap(run => run.find(figure => figure.what === what) ?? [])
    const names = Object.keys(all[0]?.values ?? {})
    const values = Object.fromEntries(
      names.map(name => [name, median(all.map(figure => figure.values[name] as number))]),
    )
    const [ours = '', ...others] = names
    const ratios = Object.fromEntries(
      others.map(name => [name, all.map(figure => ratio(figure, ours, name, better))]),
    )
    const cells = [
      what,
      `${inDigits(values[ours] as number)} ${unit}`,
      others.map(name => `${name} ${inDigits(values[name] as number)}`).join('<br>'),
      others.map(name => inSpread(ratios[name] as number[])).join('<br>'),
      aim ?? '',
    ]
    return { what, values, ratios, cells }
  })
}

function ratio({ values }: Figure, ours: string, name: string, better: Figure['better']): number {
  const [own, other] = [values[ours] as number, values[name] as number]
  return better === 'less' ? other / own : own / other
}

function inSpread(ratios: readonly number[]): string {
  const middle = `${median(ratios).toFixed(2)} ×`
  if (ratios.length === 1) return middle
  return `${middle} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`
}

function inDigits(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2)
}

/** When, where and at which commit they were measured: a line for all that share it. */
function sourcesOf(measurements: Group['measurements']): string {
  const shared = new Map<string, string[]>()
  for (const { name, measurement, commitsSince } of measurements) {
    const { commit, at, machine, load, runs } = measurement
    const times = runs.length === 1 ? 'once' : `${runs.length} times`
    const busy = load > 1 ? `, load ${load.toFixed(1)}` : ''
    const age = commitsSince === 0 ? '' : `, **${commitsSince} commits older than its code**`
    const place = `${at.slice(0, 10)} at ${commit}, ${machine}`
    const source = `[\`${name}\`](../bench/results/${name}.txt) ${times}${busy}${age}`
    shared.set(place, [...(shared.get(place) ?? []), source])
  }
  return [...shared].map(([place, sources]) => `${place}: ${sources.join('; ')}.`).join('\n')
}

const WIDTH = 760
const LEFT = 330
const BAR = 300
const LINE = 22
/** A ratio beyond this is cut: what it is says the number beside it. */
const MOST = 4

/** Bars of the ratios of a group; the line at 1 is the peer. Readable on light and dark ground. */
export function performanceChart({ title, measurements }: Group): string {
  const bars = measurements.flatMap(({ measurement }) =>
    rowsOf(measurement).flatMap(({ what, ratios }) =>
      Object.entries(ratios).map(([name, all]) => ({ words: `${what}, beside ${name}`, ratio: median(all) })),
    ),
  )
  const height = 44 + Math.max(1, bars.length) * LINE
  const scale = (value: number) => (Math.min(value, MOST) / MOST) * BAR
  const drawn = bars.map(({ words, ratio }, index) => {
    const y = 36 + index * LINE
    const short = words.length > 52 ? `${words.slice(0, 51)}…` : words
    return `<text x="12" y="${y + 12}">${escaped(short)}</text>
<rect class="${ratio >= 1 ? 'better' : 'worse'}" x="${LEFT}" y="${y}" width="${scale(ratio).toFixed(1)}" height="15"/>
<text x="${(LEFT + scale(ratio) + 8).toFixed(1)}" y="${y + 12}">${ratio.toFixed(2)} ×</text>`
  })
  const none = bars.length === 0 ? '<text x="12" y="48">compared with its aim only</text>' : ''
  const one = LEFT + scale(1)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title">
<title id="title">${escaped(title)}: how many times as good as others</title>
<style>
  text { font: 12px system-ui, sans-serif; fill: #1f2328; }
  .head { font-size: 14px; font-weight: 600; }
  .better { fill: #0969da; } .worse { fill: #b35900; } .one { stroke: #59636e; stroke-dasharray: 3 3; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; } .better { fill: #4493f8; } .worse { fill: #e3853a; } .one { stroke: #9198a1; }
  }
</style>
<text class="head" x="12" y="20">${escaped(title)}: how many times as good as others</text>
${[...drawn, none].filter(Boolean).join('\n')}
<path class="one" d="M${one} 28 V${height - 8}"/>
</svg>
`
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
