import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { theme } from '../live/theme.ts'

/** One part of each bar. */
export interface BarSeries {
  name: string
  /** Name of a colour in the style sheet, such as `throttle`. */
  colour: string
  counts: readonly number[]
}

const HEIGHT = 180

/** Bars over time, stacked; what they say is there as a table too. */
export function Bars({
  label,
  from,
  stepMs,
  series,
  height = HEIGHT,
}: {
  label: string
  /** Where the first step begins, epoch milliseconds. */
  from: number
  stepMs: number
  series: readonly BarSeries[]
  height?: number
}) {
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot | undefined>(undefined)
  const names = series.map(({ name }) => name).join()
  const shown = theme.value
  const data = stacked(from, stepMs, series)
  useEffect(() => {
    const element = box.current as HTMLDivElement
    const made = new uPlot(optionsOf(element, series, height), data, element)
    chart.current = made
    const watch = new ResizeObserver(() => {
      if (element.clientWidth > 0) made.setSize({ width: element.clientWidth, height })
    })
    watch.observe(element)
    return () => {
      watch.disconnect()
      made.destroy()
      chart.current = undefined
    }
  }, [names, stepMs, height, shown])
  useEffect(() => chart.current?.setData(data))
  return (
    <figure>
      <div class="chart" ref={box} aria-hidden="true" style={{ minHeight: `${height}px` }} />
      <figcaption class="unseen">
        {label}:{' '}
        {series.map(({ name, counts }) => `${name} ${counts.reduce((sum, n) => sum + n, 0)}`).join(', ') ||
          'none'}
      </figcaption>
    </figure>
  )
}

/** Each series with those below it added, the highest first: a bar is drawn over the one behind it. */
function stacked(from: number, stepMs: number, series: readonly BarSeries[]): uPlot.AlignedData {
  const steps = series[0]?.counts.length ?? 0
  const sums = Array.from({ length: steps }, () => 0)
  const added = series.map(({ counts }) =>
    counts.map((count, step) => {
      sums[step] = (sums[step] as number) + count
      return sums[step] as number
    }),
  )
  const times = Array.from({ length: steps }, (_, step) => (from + (step + 0.5) * stepMs) / 1000)
  return [times, ...added.reverse()]
}

function optionsOf(element: HTMLElement, series: readonly BarSeries[], height: number): uPlot.Options {
  const colour = (name: string) => getComputedStyle(element).getPropertyValue(`--${name}`).trim()
  const resolved = (name: string) => resolvedColour(element, colour(name))
  const axis = {
    stroke: resolved('text-faint'),
    grid: { stroke: resolved('line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  }
  const bars = uPlot.paths.bars?.({ size: [0.75, 24], align: 0 })
  return {
    width: Math.max(element.clientWidth, 120),
    height,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 8, 0, 0],
    scales: {
      x: { time: true },
      y: { range: (_plot, _min, max) => [0, Math.max(4, Math.ceil((max ?? 0) * 1.1))] },
    },
    axes: [
      { ...axis, grid: { show: false }, space: 90, values: (_plot, times) => times.map(clockAt) },
      { ...axis, size: 36, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6] },
    ],
    series: [
      {},
      ...[...series].reverse().map(({ name, colour: of }) => ({
        label: name,
        fill: resolved(of),
        stroke: resolved(of),
        width: 0,
        points: { show: false },
        ...(bars ? { paths: bars } : {}),
      })),
    ],
  }
}

/** The time under a bar, in seconds. */
function clockAt(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
}

/** A colour of the style sheet as a canvas understands it: light-dark() only means something to an element. */
function resolvedColour(element: HTMLElement, colour: string): string {
  const before = element.style.color
  element.style.color = colour
  const resolved = getComputedStyle(element).color
  element.style.color = before
  return resolved
}

/** What the colours of bars mean. */
export function Legend({ series }: { series: readonly BarSeries[] }) {
  return (
    <div class="legend">
      {series.map(({ name, colour, counts }) => (
        <span key={name}>
          <i style={{ background: `var(--${colour})` }} />
          {name} {counts.reduce((sum, n) => sum + n, 0)}
        </span>
      ))}
    </div>
  )
}
