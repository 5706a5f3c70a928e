import { Bars } from './bars.tsx'
import type { BarSeries } from './bars-plot.ts'

/** Failure classes in stacking order. */
const CLASSES = ['throttle', 'transient', 'timeout', 'permanent', 'rail', 'unknown', 'aborted'] as const

/** Failed tries by class over time. */
export interface FailureCounts {
  /** Start of the first step. */
  from: string
  step_ms: number
  failures: Record<string, number[]>
}

/** Failed tries over time, coloured by class. Undefined if there are none, so the view can say so. */
export function failureBars({ from, step_ms: stepMs, failures }: FailureCounts) {
  const series = CLASSES.flatMap((name): BarSeries[] => {
    const counts = failures[name]
    return counts?.some(count => count > 0) ? [{ name, colour: name, counts }] : []
  })
  if (series.length === 0) return undefined
  return <Bars label="Failed tries by class" from={Date.parse(from)} stepMs={stepMs} series={series} />
}
