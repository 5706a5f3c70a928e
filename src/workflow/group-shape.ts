import { z } from 'zod'
import { moment, numbers } from '../shape/value.ts'
import { STEP_STATES } from './step-state.ts'

/** One run of a group. */
export const member = z.object({
  number: z.number().describe('Position in the group, from 1.'),
  workflow_run: z.string(),
  step: z.string(),
  state: z.enum(STEP_STATES),
  operation: z.string().exactOptional(),
  cost_usd: z.number().exactOptional(),
  attempts: z.number().exactOptional(),
  agent_session: z.string().exactOptional(),
  folder: z.string().exactOptional(),
  waits_for: z.string().exactOptional(),
  until: moment.exactOptional(),
  reason: z.string().exactOptional(),
  params: z.unknown(),
})

/** A group of runs. */
export const group = z.object({
  name: z.string(),
  state: z.enum(['running', 'ended']),
  cost_usd: z.number(),
  max_cost_usd: z.number().exactOptional(),
  max_running: z.number().exactOptional(),
  expected_end_at: moment.exactOptional(),
  counts: numbers.describe('Runs by state.'),
  runs: z.array(member),
})

/** The answer or state of one run of a group. */
export const memberResult = z.object({
  number: z.number(),
  state: z.enum(STEP_STATES),
  result: z.unknown().exactOptional(),
  result_cut: z.boolean().exactOptional(),
  reason: z.string().exactOptional(),
  waits_for: z.string().exactOptional(),
  until: moment.exactOptional(),
})

/** A `[[group]]` of the config with prompts, which can be started by its name. */
export const startableGroup = z.object({
  name: z.string(),
  prompts: z.array(z.string()).describe('Redacted.'),
  max_running: z.number().exactOptional(),
  max_cost_usd: z.number().exactOptional(),
})
