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

/** A provider's outages between two times, oldest first. */
export function outagesOf(changes: ProviderHistory['changes'], from: number, to: number): Outage[] {
  const outages: Outage[] = []
  let open: Outage | undefined
  const close = (at: number) => {
    if (!open) return
    open.to = Math.min(at, to)
    if (open.to > from) outages.push({ ...open, from: Math.max(open.from, from) })
    open = undefined
  }
  // `changes` are newest first.
  for (const { at: when, type, data = {} } of [...changes].reverse()) {
    const at = Date.parse(when)
    if (type === 'provider_blocked') {
      close(at)
      open = {
        from: at,
        to: at,
        ...(typeof data.class === 'string' && data.cause !== 'pause' ? { class: data.class } : {}),
        ...(typeof data.reason === 'string' ? { reason: data.reason } : {}),
      }
    } else if (type === 'provider_freed') close(at)
  }
  close(to)
  return outages
}
