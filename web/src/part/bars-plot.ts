import uPlot from 'uplot'
import { pointInWords } from '../words/time.ts'

/** Height of a chart in pixels. */
export const BARS_HEIGHT = 190

/** Each series with those below it added, highest first, because each bar is drawn over the previous one. */
export function stacked(from: number, stepMs: number, series: readonly BarSeries[]): uPlot.AlignedData {
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

/** The chart's options. `onPoint` gets the index of the bar under the pointer. */
export function optionsOf(
  element: HTMLElement,
  series: readonly BarSeries[],
  stepMs: number,
  onPoint: (step: number | undefined) => void,
): uPlot.Options {
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
    height: BARS_HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    hooks: { setCursor: [plot => onPoint(plot.cursor.idx ?? undefined)] },
    // Room for half of the last time label.
    padding: [8, 30, 0, 0],
    scales: {
      // Half a step more on both sides, so the first and last bars are whole.
      x: { time: true, range: (_plot, min, max) => [min - stepMs / 2_000, max + stepMs / 2_000] },
      y: { range: (_plot, _min, max) => [0, Math.max(4, Math.ceil((max ?? 0) * 1.1))] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        space: stepMs > 30 * 60_000 ? 150 : 90,
        values: (_plot, times) => times.map(time => pointInWords(time * 1_000, Math.max(stepMs, 60_000))),
      },
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

/** A colour of the style sheet that a canvas understands: light-dark() only works on elements. */
function resolvedColour(element: HTMLElement, colour: string): string {
  const before = element.style.color
  element.style.color = colour
  const resolved = getComputedStyle(element).color
  element.style.color = before
  return resolved
}

/** One part of each bar. */
export interface BarSeries {
  name: string
  /** Name of a colour in the style sheet, such as `throttle`. */
  colour: string
  counts: readonly number[]
}
