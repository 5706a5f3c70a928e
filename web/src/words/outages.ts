import type { ProviderHistory } from '../api/answers.ts'
import { manyOf } from './number.ts'
import { lengthInWords } from './time.ts'

/** A stretch of time, in epoch milliseconds. */
export interface Span {
  from: number
  to: number
}

/** A period in which a provider could not serve. */
export interface Outage extends Span {
  /** Class of the failure that caused it; none if a person paused the provider. */
  class?: string
  reason?: string
}

/** A refusal this soon after the end of a wait belongs to the same outage, in milliseconds. */
const SOON_MS = 60_000

/**
 * A provider's outages between two times, oldest first. Several refusals of one kind are one outage, also where a wait ended
 * in between and the next call was refused again. A refused login is one until something is served: the end of a wait lets
 * one call through that tests it.
 * @param isRefused whether its login is still refused
 */
export function outagesOf(
  changes: ProviderHistory['changes'],
  from: number,
  to: number,
  isRefused = false,
): Outage[] {
  const outages: Outage[] = []
  let open: Outage | undefined
  let isLogin = false
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
    if (isPaced(type, data)) continue
    if (type === 'provider_blocked' || type === 'paused') {
      const cls = typeof data.class === 'string' ? data.class : undefined
      const isAgain = isLogin && data.cause === 'login'
      const isSoon = freedAt === undefined || at - freedAt <= SOON_MS || isAgain
      isLogin = data.cause === 'login'
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
  if (isLogin && isRefused) freedAt = undefined
  close(to)
  return outages
}

/** Whether a provider was closed only until the next call's turn. */
export function isPaced(type: string, { paced }: Record<string, unknown> = {}): boolean {
  return type === 'provider_blocked' && paced === true
}

/**
 * When a provider was paced: steps in which it refused calls for their rate and was still called, or calls went one after
 * another.
 */
export function pacedOf(
  throttled: readonly number[],
  { from, to, stepMs }: Span & { stepMs: number },
  outages: readonly Span[],
  changes: ProviderHistory['changes'] = [],
): Span[] {
  const turns = changes.flatMap(({ at, type, data }) => (isPaced(type, data) ? [Date.parse(at)] : []))
  const paced: Span[] = []
  for (let step = 0; from + step * stepMs < to; step++) {
    const count = throttled[step] ?? 0
    const span = { from: from + step * stepMs, to: Math.min(to, from + (step + 1) * stepMs) }
    // The refusal that began an outage is shown as that.
    const isOutage = outages.some(outage => outage.from < span.to && outage.to > span.from)
    const isTurn = turns.some(at => at >= span.from && at < span.to)
    if ((count === 0 && !isTurn) || isOutage) continue
    const last = paced.at(-1)
    if (last?.to === span.from) last.to = span.to
    else paced.push(span)
  }
  return paced
}

/** What a strip shows, for whom a drawing says nothing. */
export function outagesInWords(
  outages: readonly Outage[],
  paced: readonly Span[],
  from: number,
  to: number,
): string {
  const lengthOf = (spans: readonly Span[]) => spans.reduce((sum, span) => sum + span.to - span.from, 0)
  const parts = [
    ...(outages.length === 0
      ? []
      : [`could not serve for ${lengthInWords(lengthOf(outages))} (${manyOf(outages.length, 'outage')})`]),
    ...(paced.length === 0 ? [] : [`was paced for ${lengthInWords(lengthOf(paced))}`]),
  ]
  const length = lengthInWords(to - from)
  return parts.length === 0
    ? `could serve for all of the last ${length}`
    : `in the last ${length}: ${parts.join('; ')}`
}
