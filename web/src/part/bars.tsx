import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import type { BarSeries } from './bars-plot.ts'
import 'uplot/dist/uPlot.min.css'
import { theme } from '../live/theme.ts'
import { countInWords } from '../words/number.ts'
import { stepInWords } from '../words/time.ts'
import { BARS_HEIGHT, optionsOf, stacked } from './bars-plot.ts'

/** Stacked bars over time with a legend; pointing at a bar shows its numbers. */
export function Bars({
  label,
  from,
  stepMs,
  series,
}: {
  label: string
  /** Start of the first step, epoch milliseconds. */
  from: number
  stepMs: number
  series: readonly BarSeries[]
}) {
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot | undefined>(undefined)
  const pointed = useSignal<number | undefined>(undefined)
  const names = series.map(({ name }) => name).join()
  const shown = theme.value
  const data = stacked(from, stepMs, series)
  useEffect(() => {
    const element = box.current as HTMLDivElement
    const made = new uPlot(
      optionsOf(element, series, stepMs, step => {
        pointed.value = step
      }),
      data,
      element,
    )
    chart.current = made
    const watch = new ResizeObserver(() => {
      if (element.clientWidth > 0) made.setSize({ width: element.clientWidth, height: BARS_HEIGHT })
    })
    watch.observe(element)
    return () => {
      watch.disconnect()
      made.destroy()
      chart.current = undefined
    }
  }, [names, stepMs, shown])
  useEffect(() => chart.current?.setData(data))
  return (
    <figure class="bars">
      <div class="chart" ref={box} aria-hidden="true" style={{ minHeight: `${BARS_HEIGHT}px` }} />
      <Legend series={series} step={pointed.value} from={from} stepMs={stepMs} />
      <figcaption class="unseen">
        {label}.{' '}
        {filledSteps(series)
          .map(step => `${stepInWords(step, from, stepMs)}: ${countsInWords(series, step)}`)
          .join('; ')}
      </figcaption>
    </figure>
  )
}

/** The legend, with counts: in total, or for the bar under the pointer. */
function Legend({
  series,
  step,
  from,
  stepMs,
}: {
  series: readonly BarSeries[]
  step: number | undefined
  from: number
  stepMs: number
}) {
  return (
    <div class="legend" aria-hidden="true">
      {series.map(({ name, colour, counts }) => (
        <span key={name}>
          <i style={{ background: `var(--${colour})` }} />
          {name} <b>{countInWords(step === undefined ? sumOf(counts) : (counts[step] ?? 0))}</b>
        </span>
      ))}
      <span class="legend-time">{step === undefined ? 'total' : stepInWords(step, from, stepMs)}</span>
    </div>
  )
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

function filledSteps(series: readonly BarSeries[]): number[] {
  const steps = Array.from(series[0]?.counts ?? [], (_, step) => step)
  return steps.filter(step => series.some(({ counts }) => (counts[step] ?? 0) > 0))
}

function countsInWords(series: readonly BarSeries[], step: number): string {
  return series
    .filter(({ counts }) => (counts[step] ?? 0) > 0)
    .map(({ name, counts }) => `${name} ${counts[step]}`)
    .join(', ')
}
