/** Why an operation waits for a person, or for a runner that has its capability. */
export type ParkReason = 'label' | 'login' | 'payment' | 'runner' | 'secret' | 'parameters'

/**
 * What caused a park, which decides what may end it: a `provider` refused a login or a payment; the `runner` lacks something
 * the operation needs (a capability, key, variable or valid parameters); or a policy or hook made the `decision`.
 */
export type ParkOrigin = 'provider' | 'runner' | 'decision'

/** How an operation ends without success. */
export type CancelReason = 'refused' | 'exhausted' | 'expired' | 'unverifiable' | 'cancelled' | 'stopped'

/** `resume` continues the session of the failed try; `again` starts over. */
export type Mode = 'again' | 'resume'

/** What to do about a failure, with a reason for people and the rule that decided. */
export type Verdict =
  | { action: 'retry'; delayMs: number; mode: Mode; reason: string; rule: string }
  | { action: 'failover'; reason: string; rule: string }
  | {
      action: 'snooze'
      until: number
      mode: Mode
      /** It waits in line for its provider: a hold, which no limit of snoozes counts. Default false. */
      held?: boolean
      reason: string
      rule: string
    }
  | {
      action: 'park'
      for: ParkReason
      /** What caused the park. Default `decision`. */
      origin?: ParkOrigin
      reason: string
      rule: string
    }
  | { action: 'cancel'; as: CancelReason; reason: string; rule: string }

/** What a verdict says to do. */
export type Action = Verdict['action']

export const PARK_REASONS: readonly ParkReason[] = [
  'label',
  'login',
  'payment',
  'runner',
  'secret',
  'parameters',
]
export const CANCEL_REASONS: readonly CancelReason[] = [
  'refused',
  'exhausted',
  'expired',
  'unverifiable',
  'cancelled',
  'stopped',
]
