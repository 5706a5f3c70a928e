import type { ProviderHistory } from '../api/answers.ts'

/** A period in which a provider could not serve. */
export interface Outage {
  /** Epoch milliseconds. */
  from: number
  to: number
  /** Class of the failure that caused it; none if a person paused the provider. */
  class?: string
  reason?: string
}

/** A refusal this soon after the end of a wait belongs to the same outage, in milliseconds. */
const SOON_MS = 60_000

/**
 * A provider's outages between two times, oldest first. Several refusals of one kind are one outage, also where a wait ended
 * in between and the next call was refused again.
 */
export function outagesOf(changes: ProviderHistory['changes'], from: number, to: number): Outage[] {
  const outages: Outage[] = []
  let open: Outage | undefined
  /** When its last wait ended, until something shows whether that was the end. */
  let freedAt: number | undefined
  const close = (at: number) => {
    if (!open) return
    open.to = Math.min(freedAt ?? at, to)
    if (open.to > from) outages.push({ ...open, from: Math.max(open.from, from) })
    open = freedAt = undefined
  }
  // `changes` are newest first.
  for (const { at: when, type, data = {} } of [...changes].reverse()) {
    const at = Date.parse(when)
    if (type === 'provider_blocked' || type === 'paused') {
      const cls = typeof data.class === 'string' ? data.class : undefined
      const isSoon = freedAt === undefined || at - freedAt <= SOON_MS
      const isSame = isSoon && open !== undefined && cls !== undefined && open.class === cls
      if (!isSame) {
        close(at)
        open = {
          from: at,
          to: at,
          ...(cls === undefined ? {} : { class: cls }),
          ...(typeof data.reason === 'string' ? { reason: data.reason } : {}),
        }
      }
      freedAt = undefined
    } else if (type === 'provider_freed' || type === 'resumed') freedAt ??= at
    else if (type === 'provider_served') close(at)
  }
  close(to)
  return outages
}
