import type { z } from 'zod'
import { ANSWERED_BY, FIELD_TYPES, ON_FAIL } from '../../plan/plan.ts'
import { table } from './table.ts'
import { choice, duration, flag, json, list, map, name, plainText, tables } from './value.ts'

const field = table({
  type: choice(FIELD_TYPES, 'Its type.').prefault('string'),
  required: flag('Whether it is required.').prefault(true),
  description: plainText('What it is for.').optional(),
})

const step = table({
  id: plainText('Its id within the workflow: letters, digits, `_` and `-`.', 'a name such as "build"'),
  run: name('The capability it runs. Give either `run` or `ask`.').optional(),
  ask: plainText(
    'A question to a person or an agent, who answers with `mulligan workflow advance`; may contain placeholders like `params`.',
  ).optional(),
  answer: map(field, 'For `ask`: what an answer must contain. Default: anything.').optional(),
  answered_by: choice(
    ANSWERED_BY,
    'For `ask`: who may answer. `"agent"` and `"anyone"` include agents over MCP, except the one that started the run. Default: `"person"`.',
  ).optional(),
  after: list(
    plainText('A step', 'the id of a step'),
    'Steps that must end before it begins, besides those whose results it uses.',
  ).prefault([]),
  params: map(
    json('The value of a parameter.'),
    'For `run`: parameters of the capability. `"{params.NAME}"` is a parameter of the workflow, `"{results.STEP.NAME}"` part of a step\'s result, and `"{{params.NAME}}"` the literal text.',
  ).optional(),
  when: plainText(
    'Skip it unless this holds: `"results.STEP.NAME"`, `"not params.NAME"`, or a comparison such as `"results.STEP.count > 0"`. Default: it always runs.',
  ).optional(),
  optional: flag('Whether its failure leaves the run successful.').prefault(false),
  on_fail: choice(
    ON_FAIL,
    'What its failure means for the rest. `"abort"`: the run fails at once. `"skip_dependents"`: only steps that depend on it are skipped. `"continue"`: all other steps run. Default: `"abort"`; `"continue"` if it is optional.',
  ).optional(),
  timeout: duration('Time limit from its start to its end, including retries and waits. Default: none.', {
    least: '1s',
  }).optional(),
})

/** `[[workflow]]` */
export const workflow = table({
  name: name('Its name in runs.'),
  description: plainText('What it does.').optional(),
  params: map(field, 'The parameters of a run. Default: anything.').optional(),
  step: tables(step, 'workflow.step', 'Its steps.', { least: 1 }),
})
/** `[[workflow]]` with defaults filled in and durations in milliseconds. */
export type WorkflowConfig = z.output<typeof workflow>
