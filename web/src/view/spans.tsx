import { remembered } from '../live/remembered.ts'
import { Choice } from '../part/choice.tsx'

const SPANS = [
  [600_000, '10 min'],
  [3_600_000, '1 h'],
  [6 * 3_600_000, '6 h'],
  [86_400_000, '24 h'],
  [7 * 86_400_000, '7 d'],
] as const

/** How far back charts reach, in milliseconds: one choice for all views. */
export const span = remembered(
  'span',
  SPANS.map(([ms]) => ms),
  600_000,
)

/** Chooses how far back charts reach. */
export function SpanChoice() {
  return (
    <Choice
      label="How far back"
      value={span.value}
      options={SPANS}
      onChange={chosen => {
        span.value = chosen
      }}
    />
  )
}
