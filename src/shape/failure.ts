import { z } from 'zod'
import { ALL_KINDS, type FailureClass, KINDS } from '../failure/failure.ts'
import { SPEAKERS, type Speaker } from '../failure/speaker.ts'
import { CANCEL_REASONS, PARK_REASONS } from '../verdict/verdict.ts'
import { moment, oneOf } from './value.ts'

const speaker = oneOf(Object.keys(SPEAKERS) as Speaker[])

/** The class of a failure. */
export const failureClass = oneOf(Object.keys(KINDS) as FailureClass[])
/** The kind of a failure. */
export const failureKind = oneOf(ALL_KINDS)
/** Whether a verdict continues the session of the failed try. */
export const mode = oneOf(['again', 'resume'])
/** What an operation is parked for. */
export const parkReason = oneOf(PARK_REASONS)
/** How an operation died. */
export const cancelReason = oneOf(CANCEL_REASONS)

/** A failure, with why it was classified this way. */
export const failure = z.object({
  class: failureClass,
  kind: failureKind,
  effect: oneOf(['none', 'maybe', 'done']).describe('Whether the failed try may have done something.'),
  provider: z.string().exactOptional(),
  model: z.string().exactOptional(),
  message: z.string().describe('One line, redacted.'),
  status: z.number().exactOptional(),
  code: z.string().exactOptional(),
  outcome: z.string().exactOptional().describe('How an agent run ended.'),
  origin: oneOf(['gate', 'timer', 'abort', 'rail', 'lost_session']).exactOptional(),
  scope: oneOf(['account', 'resource']).exactOptional(),
  exit_code: z.number().exactOptional(),
  signal: z.string().exactOptional(),
  retry_after_ms: z.number().exactOptional(),
  reset_at: moment.exactOptional(),
  session_id: z.string().exactOptional(),
  cost_usd: z.number().exactOptional(),
  turns: z.number().exactOptional(),
  did: oneOf(['said', 'read', 'acted']).exactOptional().describe('What an agent run did.'),
  evidence: z.object({
    rule: z.string(),
    where: z.string(),
    excerpt: z.string(),
    speaker: speaker.exactOptional().describe('Who says so.'),
    backer: speaker.exactOptional(),
    clock: speaker.exactOptional().describe('Who stated the time.'),
    lost: z.array(z.object({ rule: z.string(), excerpt: z.string(), speaker: speaker.exactOptional() })),
  }),
  fingerprint: z.string(),
  text: z.string().exactOptional().describe('Up to 8 KB of its text, redacted.'),
})

/** A verdict about a failure. */
export const verdict = z.object({
  action: oneOf(['retry', 'failover', 'snooze', 'park', 'cancel']),
  delay_ms: z.number().exactOptional().describe('Of a retry.'),
  until: moment.exactOptional().describe('Of a snooze.'),
  mode: mode.exactOptional(),
  for: parkReason.exactOptional().describe('Of a park.'),
  as: cancelReason.exactOptional().describe('Of a cancel.'),
  reason: z.string(),
  rule: z.string(),
})
