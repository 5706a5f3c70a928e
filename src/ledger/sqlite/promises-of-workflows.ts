import { toId } from '../row/rows.ts'
import { placeOfStep, STEPS_PER_RUN } from '../row/workflow-row.ts'
import { STEP_RECORD_STATES, WORKFLOW_RUN_STATES } from '../workflow-run.ts'
import type { Promised } from './promised.ts'

/** The schema version that added these tables. */
const SINCE = 6

const quoted = (words: readonly string[]) => words.map(word => `'${word}'`).join(', ')
const stepInWords = (id: number) => {
  const { run, step } = placeOfStep(id)
  return `step ${step} of ${run}`
}

/** Promises about the rows of workflow runs, their steps, and remembered steps of operations. */
export const PROMISES_OF_WORKFLOWS: readonly Promised[] = [
  {
    rule: 'workflow_run_has_its_fields',
    since: SINCE,
    sql: `SELECT id, state AS more FROM workflow_runs WHERE state NOT IN (${quoted(WORKFLOW_RUN_STATES)})
      OR (state = 'running') <> (ended_at IS NULL) OR (key IS NULL) <> (params_hash IS NULL) OR version < 1
      OR (idle_told_at IS NOT NULL AND state <> 'running')`,
    says: ({ id, more }) => `wf_${id} is ${more}, but has fields of another state, or lacks its own`,
  },
  {
    rule: 'workflow_run_has_plan',
    since: SINCE,
    sql: `SELECT r.id, r.plan AS more FROM workflow_runs r LEFT JOIN workflow_plans p ON p.id = r.plan
      WHERE p.id IS NULL OR NOT json_valid(p.plan)`,
    says: ({ id, more }) => `wf_${id} uses plan_${more}, which does not exist or cannot be read`,
  },
  {
    rule: 'workflow_plan_has_run',
    since: SINCE,
    sql: `SELECT id, NULL AS more FROM workflow_plans p WHERE NOT EXISTS
      (SELECT 1 FROM workflow_runs r WHERE r.plan = p.id)`,
    says: ({ id }) => `no run uses plan_${id}`,
  },
  {
    rule: 'workflow_step_has_run',
    since: SINCE,
    sql: `SELECT s.id, r.steps AS more FROM workflow_steps s LEFT JOIN workflow_runs r ON r.id = s.id / ${STEPS_PER_RUN}
      WHERE r.id IS NULL OR s.id % ${STEPS_PER_RUN} >= r.steps`,
    says: ({ id }) => `${stepInWords(id)} is recorded, but its run has no such step`,
  },
  {
    rule: 'workflow_step_has_its_fields',
    since: SINCE,
    sql: `SELECT id, state AS more FROM workflow_steps WHERE state NOT IN (${quoted(STEP_RECORD_STATES)})
      OR (state IN ('open', 'asked')) <> (ended_at IS NULL) OR (state = 'open' AND operation IS NULL)
      OR (state IN ('failed', 'skipped')) <> (reason IS NOT NULL)
      OR (cause IS NOT NULL AND state <> 'skipped' AND (state NOT IN ('open', 'failed') OR cause <> id % ${STEPS_PER_RUN}))
      OR (result IS NOT NULL AND state <> 'succeeded') OR (deadline IS NOT NULL AND ended_at IS NOT NULL)
      OR (operation IS NULL) <> (operations = 0) OR (result_cut = 1 AND result IS NULL)
      OR (result IS NOT NULL AND NOT json_valid(result))`,
    says: ({ id, more }) =>
      `${stepInWords(id)} is ${more}, but has fields of another state, or lacks its own`,
  },
  {
    rule: 'open_step_has_operation',
    since: SINCE,
    sql: `SELECT s.id, s.operation AS more FROM workflow_steps s LEFT JOIN operations o ON o.id = s.operation
      WHERE s.state = 'open' AND (o.id IS NULL OR o.source <> 'workflow')`,
    says: ({ id, more }) =>
      `${stepInWords(id)} names ${toId(more as number)} as its operation, which does not exist or is not from a workflow`,
  },
  {
    rule: 'operation_is_one_step',
    since: SINCE,
    sql: `SELECT operation AS id, count(*) AS more FROM workflow_steps WHERE operation IS NOT NULL
      GROUP BY operation HAVING count(*) > 1`,
    says: ({ id, more }) => `${toId(id)} is the operation of ${more} steps`,
  },
  {
    // Steps that a cancelled or failed run had started end after it.
    rule: 'ended_run_waits_for_nobody',
    since: SINCE,
    sql: `SELECT r.id, count(*) AS more FROM workflow_runs r JOIN workflow_steps s
      ON s.id BETWEEN r.id * ${STEPS_PER_RUN} AND r.id * ${STEPS_PER_RUN} + r.steps
      WHERE r.ended_at IS NOT NULL AND (s.state = 'asked' OR (s.state = 'open' AND r.state = 'succeeded')) GROUP BY r.id`,
    says: ({ id, more }) => `wf_${id} has ended, but ${more} of its steps have not`,
  },
  {
    rule: 'succeeded_run_has_all_steps',
    since: SINCE,
    sql: `SELECT r.id, r.steps AS more FROM workflow_runs r WHERE r.state = 'succeeded' AND r.steps <>
      (SELECT count(*) FROM workflow_steps s WHERE s.id BETWEEN r.id * ${STEPS_PER_RUN}
      AND r.id * ${STEPS_PER_RUN} + r.steps AND s.ended_at IS NOT NULL)`,
    says: ({ id, more }) => `wf_${id} succeeded, but not all of its ${more} steps have ended`,
  },
  {
    rule: 'workflow_action_has_run',
    since: SINCE,
    sql: `SELECT a.id, a.run AS more FROM workflow_actions a LEFT JOIN workflow_runs r ON r.id = a.run WHERE r.id IS NULL`,
    says: ({ more }) => `an action on wf_${more} is recorded, but that run does not exist`,
  },
  {
    rule: 'remembered_step_has_operation',
    since: SINCE,
    sql: `SELECT m.operation AS id, m.step AS more FROM remembered_steps m LEFT JOIN operations o ON o.id = m.operation
      WHERE o.id IS NULL OR m.run > o.run OR m.run < 1`,
    says: ({ id, more }) =>
      `the step ${JSON.stringify(more)} of ${toId(id)} is remembered, but its operation or run does not exist`,
  },
]
