import type { z } from 'zod'
import { FIELD_TYPES, ON_FAIL } from '../../plan/plan.ts'
import { table } from './table.ts'
import { choice, duration, flag, json, list, map, name, plainText, tables } from './value.ts'

const field = table({
  type: choice(FIELD_TYPES, 'Its type.').prefault('string'),
  required: flag('Whether it is required.').prefault(true),
  description: plainText('What it is for.').optional(),
})

const step = table({
  id: plainText('Its name within the workflow: letters, digits, `_` and `-`.', 'a name such as "build"'),
  run: name('The capability that it runs. One of `run` and `ask`.').optional(),
  ask: plainText(
    'A question to a person or an agent, who answers with `mulligan workflow advance`; may have places as `params` has.',
  ).optional(),
  answer: map(field, 'For `ask`: what an answer must have. Default: anything.').optional(),
  after: list(
    plainText('A step', 'the id of a step'),
    'Steps that end before it begins; those whose results it uses are known.',
  ).prefault([]),
  params: map(
    json('The value of a parameter.'),
    'For `run`: parameters of the capability. `"{params.NAME}"` is a parameter of the workflow, `"{results.STEP.NAME}"` a part of what a step returned, and `"{{params.NAME}}"` the text itself.',
  ).optional(),
  when: plainText(
    'It is skipped unless this holds: `"results.STEP.NAME"`, `"not params.NAME"`, or a comparison such as `"results.STEP.count > 0"`. Default: it always runs.',
  ).optional(),
  optional: flag('Whether its failure leaves the run successful.').prefault(false),
  on_fail: choice(
    ON_FAIL,
    'What its failure means for the rest. `"abort"`: the run fails at once. `"skip_dependents"`: only what depends on it is skipped. `"continue"`: all the rest runs. Default: `"abort"`, and `"continue"` if it is optional.',
  ).optional(),
  timeout: duration('Longest time from its start to its end, retries and waits included. Default: none.', {
    least: '1s',
  }).optional(),
})

/** `[[workflow]]` */
export const workflow = table({
  name: name('Its name in runs.'),
  description: plainText('What it does.').optional(),
  params: map(field, 'What a run is started with. Default: anything.').optional(),
  step: tables(step, 'workflow.step', 'Its steps.', { least: 1 }),
})
/** `[[workflow]]` as it is in force: defaults filled in, durations in milliseconds. */
export type WorkflowConfig = z.output<typeof workflow>
