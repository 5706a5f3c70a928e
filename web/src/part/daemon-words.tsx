import type { ComponentChildren } from 'preact'
import { visibleText } from '../words/visible.ts'
import { Moment } from './moment.tsx'

/** A point in time as the daemon writes it. */
const MOMENT = /(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))/

/** Text from the daemon, which may quote others. Times in it are shown in the viewer's time zone. */
export function DaemonWords({ text }: { text: string }) {
  return (
    <span class="foreign" dir="auto">
      {text.split(MOMENT).map(
        (piece, index): ComponentChildren =>
          // Every second piece is a match of the pattern.
          index % 2 === 1 && !Number.isNaN(Date.parse(piece)) ? (
            <Moment key={index} at={piece} as="clock" />
          ) : (
            visibleText(piece)
          ),
      )}
    </span>
  )
}
