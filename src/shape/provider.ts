import { z } from 'zod'
import { failure } from './failure.ts'
import { moment, oneOf } from './value.ts'

const breakerState = oneOf(['closed', 'open', 'half_open'])

const windowUse = z.object({
  window: z.string(),
  unit: oneOf(['usd', 'tokens', 'requests', 'share']),
  used: z.number(),
  limit: z.number(),
  level: oneOf(['within', 'near', 'exhausted']),
  source: oneOf(['counted', 'reported', 'filled']),
  until: moment.exactOptional(),
})

/** The state of a provider. */
export const provider = z.object({
  id: z.string(),
  quota: z.string(),
  admits: z.boolean().describe('Whether it takes calls now.'),
  reason: z.string().exactOptional().describe('Why not.'),
  until: moment.exactOptional(),
  paused: z
    .object({ at: moment, reason: z.string().exactOptional(), until: moment.exactOptional() })
    .exactOptional(),
  breaker: z.object({
    state: breakerState,
    failures: z.number(),
    until: moment.exactOptional(),
    probe_in_flight: z.boolean(),
  }),
  model_breakers: z.array(
    z.object({ model: z.string(), state: breakerState, until: moment.exactOptional() }),
  ),
  login_refused: z.boolean(),
  blocks: z.array(
    z.object({
      scope: z.object({
        provider: z.string().exactOptional(),
        credential: z.string().exactOptional(),
        quota: z.string().exactOptional(),
        model: z.string().exactOptional(),
      }),
      from: moment,
      until: moment.exactOptional(),
      failure,
    }),
  ),
  paced: z.array(
    z.object({
      model: z.string().exactOptional(),
      at: moment,
      until: moment,
      per_minute: z.number().exactOptional(),
      failure,
    }),
  ),
  level: oneOf(['uncapped', 'within', 'near', 'exhausted']),
  windows: z.array(windowUse),
  has_probe: z.boolean(),
})

/** How a probe ended. */
export const probe = z.object({
  provider: z.string(),
  outcome: oneOf(['answered', 'failed', 'environment', 'skipped']),
  reason: z.string(),
  failure: failure.exactOptional(),
  duration_ms: z.number(),
})
