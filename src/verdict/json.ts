import type { Verdict } from './verdict.ts'

/** A verdict in JSON: times as RFC 3339 UTC, durations in `…_ms`. */
export function verdictToJson(verdict: Verdict): Record<string, unknown> {
  const { action, reason, rule } = verdict
  switch (verdict.action) {
    case 'retry':
      return { action, delay_ms: verdict.delayMs, mode: verdict.mode, reason, rule }
    case 'snooze':
      return { action, until: new Date(verdict.until).toISOString(), mode: verdict.mode, reason, rule }
    case 'park':
      return { action, for: verdict.for, reason, rule }
    case 'cancel':
      return { action, as: verdict.as, reason, rule }
    case 'failover':
      return { action, reason, rule }
  }
}
