import { useSignal } from '@preact/signals'
import { stepInWords } from '../words/time.ts'

/** Values over time, one per step; null where there are none. */
export interface PlotSeries {
  name: string
  /** Name of a colour in the style sheet, such as `throttle`. */
  colour: string
  values: readonly (number | null)[]
}

/** Width and height of the drawing, in its own units: it is stretched to the width of its place. */
const WIDTH = 600
const HEIGHT = 120

/** Lines or columns over time, with a legend; pointing at a step shows its values, and a table has all of them. */
export function Plot({
  label,
  from,
  stepMs,
  series,
  inWords,
  total,
  totalName,
  as = 'lines',
}: {
  label: string
  /** Start of the first step, epoch milliseconds. */
  from: number
  stepMs: number
  series: readonly PlotSeries[]
  inWords: (value: number) => string
  /** What the legend shows of a series while nobody points at a step. */
  total: (values: readonly number[]) => number
  /** What that is, in a word. */
  totalName: string
  as?: 'lines' | 'columns'
}) {
  const pointed = useSignal<number | undefined>(undefined)
  const steps = series[0]?.values.length ?? 0
  const highest = Math.max(...series.flatMap(({ values }) => values.map(value => value ?? 0)))
  const y = (value: number) => HEIGHT - (highest === 0 ? 0 : (value / highest) * (HEIGHT - 4))
  const point = (event: PointerEvent) => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect()
    const step = Math.floor(((event.clientX - left) / width) * steps)
    pointed.value = step >= 0 && step < steps ? step : undefined
  }
  const shown = ({ values }: PlotSeries) => {
    if (pointed.value !== undefined) return values[pointed.value] ?? undefined
    const known = values.filter(value => value !== null)
    return known.length === 0 ? undefined : total(known)
  }
  return (
    <figure class="plot">
      <span class="plot-top" aria-hidden="true">
        {inWords(highest)}
      </span>
      <div class="plot-area">
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          onPointerMove={point}
          onPointerLeave={() => {
            pointed.value = undefined
          }}
        >
          {series.map(({ name, colour, values }) => (
            <path
              key={name}
              d={as === 'lines' ? lineOf(values, y) : columnsOf(values, y)}
              style={as === 'lines' ? { stroke: `var(--${colour})` } : { fill: `var(--${colour})` }}
              class={as}
            />
          ))}
          {pointed.value === undefined ? null : (
            <path class="pointer" d={`M${((pointed.value + 0.5) * WIDTH) / steps} 0V${HEIGHT}`} />
          )}
        </svg>
      </div>
      <div class="axis" aria-hidden="true">
        <span>{stepInWords(0, from, stepMs).split(' – ')[0]}</span>
        <span>now</span>
      </div>
      <div class="legend" aria-hidden="true">
        {series.map(each => {
          const value = shown(each)
          return (
            <span key={each.name}>
              <i style={{ background: `var(--${each.colour})` }} />
              {each.name} <b>{value === undefined ? '–' : inWords(value)}</b>
            </span>
          )
        })}
        <span class="legend-time">
          {pointed.value === undefined ? totalName : stepInWords(pointed.value, from, stepMs)}
        </span>
      </div>
      <Values label={label} from={from} stepMs={stepMs} series={series} inWords={inWords} />
    </figure>
  )
}

/** All values in a table, for whom a drawing says nothing. */
function Values({
  label,
  from,
  stepMs,
  series,
  inWords,
}: {
  label: string
  from: number
  stepMs: number
  series: readonly PlotSeries[]
  inWords: (value: number) => string
}) {
  const steps = Array.from(series[0]?.values ?? [], (_, step) => step)
  const filled = steps.filter(step => series.some(({ values }) => (values[step] ?? 0) > 0))
  return (
    <details class="more">
      <summary class="soft small">As a table</summary>
      <div class="scroll-x plot-table">
        <table class="table">
          <caption class="unseen">{label}</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {series.map(({ name }) => (
                <th key={name} scope="col" class="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {filled.map(step => (
              <tr key={step}>
                <th scope="row">{stepInWords(step, from, stepMs)}</th>
                {series.map(({ name, values }) => {
                  const value = values[step] ?? null
                  return (
                    <td key={name} class="number">
                      {value === null ? '–' : inWords(value)}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

/** A line through the values; where there are none it is broken, and a value alone is a dot. */
function lineOf(values: readonly (number | null)[], y: (value: number) => number): string {
  let isDown = false
  return values
    .map((value, step) => {
      if (value === null) {
        isDown = false
        return ''
      }
      const at = `${(((step + 0.5) * WIDTH) / values.length).toFixed(1)} ${y(value).toFixed(1)}`
      const drawn = isDown ? `L${at}` : `M${at}h.1`
      isDown = true
      return drawn
    })
    .join('')
}

/** A column for each value. */
export function columnsOf(values: readonly (number | null)[], y: (value: number) => number): string {
  const width = WIDTH / values.length
  return values
    .map((value, step) =>
      value
        ? `M${(step * width + 0.5).toFixed(1)} ${HEIGHT}V${y(value).toFixed(1)}h${(width - 1).toFixed(1)}V${HEIGHT}z`
        : '',
    )
    .join('')
}

/** A few columns without an axis, for a row of a list. */
export function Spark({ counts, colour }: { counts: readonly number[]; colour: string }) {
  const highest = Math.max(...counts, 1)
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path
        d={columnsOf(counts, value => HEIGHT - (value / highest) * HEIGHT)}
        style={{ fill: `var(--${colour})` }}
      />
    </svg>
  )
}
