import type { Verdict } from '../verdict/index.ts'

/** A verdict as it travels in JSON. */
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
