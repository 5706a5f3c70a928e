import { z } from 'zod'
import { WORKFLOW_RUN_STATES } from '../ledger/workflow-run.ts'
import { ON_FAIL } from '../plan/plan.ts'
import { moment } from '../shape/value.ts'
import { STEP_STATES } from './step-state.ts'

const fields = z.record(z.string(), z.object({ type: z.string(), required: z.boolean() }))

/** A step of a plan. */
const planned = {
  id: z.string(),
  run: z.string().exactOptional().describe('The capability that it runs.'),
  ask: z.string().exactOptional().describe('The question to a person or an agent.'),
  answer: fields.exactOptional().describe('The fields of an answer.'),
  after: z.array(z.string()).describe('Steps that must end first.'),
  when: z.string().exactOptional(),
  optional: z.boolean(),
  on_fail: z.enum(ON_FAIL),
  timeout_ms: z.number().exactOptional(),
}

/** A workflow that can be started. */
export const workflow = z.object({
  name: z.string(),
  description: z.string().exactOptional(),
  params: fields.exactOptional(),
  steps: z.array(z.object(planned)),
})

/** A step of a run. */
export const step = z.object({
  ...planned,
  state: z.enum(STEP_STATES),
  reason: z.string().exactOptional(),
  question: z.string().exactOptional().describe('The question, with its places filled in.'),
  waits_for: z
    .object({
      what: z.string(),
      until: moment.exactOptional().describe('When it continues automatically.'),
      deadline: moment.exactOptional().describe('When its time runs out.'),
      steps: z.array(z.string()).exactOptional(),
    })
    .exactOptional(),
  operation: z.string().exactOptional(),
  by: z.string().exactOptional(),
  operations: z.number(),
  started_at: moment.exactOptional(),
  ended_at: moment.exactOptional(),
  has_result: z.boolean(),
  attempts: z.number().exactOptional(),
  retries: z.number().exactOptional(),
  cost_usd: z.number().exactOptional(),
})

/** A run of a workflow. */
export const workflowRun = z.object({
  id: z.string(),
  workflow: z.string(),
  state: z.enum(WORKFLOW_RUN_STATES),
  status: z
    .enum([...WORKFLOW_RUN_STATES, 'blocked'])
    .describe('As `state`; `blocked` if it is running, but no step can continue now.'),
  reason: z.string().exactOptional(),
  key: z.string().exactOptional(),
  session: z.string().exactOptional(),
  by: z.string(),
  params: z.unknown(),
  created_at: moment,
  updated_at: moment,
  ended_at: moment.exactOptional(),
  version: z.number(),
  steps: z.array(step),
})

/** A person's change to a run. */
export const action = z.object({
  at: moment,
  by: z.string(),
  action: z.string(),
  step: z.string().exactOptional(),
  note: z.string().exactOptional(),
})
