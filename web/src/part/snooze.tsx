import { post } from '../api/request.ts'
import { manyOf } from '../words/number.ts'
import { clockInWords } from '../words/time.ts'
import { visibleText } from '../words/visible.ts'
import { orTell, tell } from './toast.tsx'

const HOUR_MS = 3_600_000
const CHOICES = [
  ['1 hour', HOUR_MS],
  ['4 hours', 4 * HOUR_MS],
  ['1 day', 24 * HOUR_MS],
  ['1 week', 168 * HOUR_MS],
] as const

/** Puts notices out of sight for a while: one, or all of the cause that it belongs to. */
export function Snooze({
  which,
  title,
  onDone,
}: {
  which: { ids: string[] } | { like: string }
  title: string
  onDone: () => void
}) {
  const snooze = (forMs: number) =>
    orTell(async () => {
      const { snoozed, until } = await post<{ snoozed: number; until: string }>('/v1/inbox/snooze', {
        ...which,
        for_ms: forMs,
      })
      tell(`${manyOf(snoozed, 'notice')} snoozed until ${clockInWords(Date.parse(until), Date.now())}`)
      onDone()
    })
  return (
    <select
      class="button snooze"
      aria-label={visibleText(`Snooze: ${title}`)}
      value=""
      onChange={event => {
        const forMs = Number(event.currentTarget.value)
        event.currentTarget.value = ''
        if (forMs > 0) void snooze(forMs)
      }}
    >
      <option value="">Snooze …</option>
      {CHOICES.map(([name, ms]) => (
        <option key={name} value={String(ms)}>
          {name}
        </option>
      ))}
    </select>
  )
}
