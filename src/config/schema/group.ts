import type { z } from 'zod'
import { table } from './table.ts'
import { amount, flag, list, name, plainText, whole } from './value.ts'

/** `[[group]]` */
export const group = table({
  name: name('Its name: what is started under it shares the limits.'),
  pool: name(
    'Agents that serve it: a `[[pool]]`, or the id of one provider. Default: the configured agents.',
  ).optional(),
  max_running: whole(
    'Runs under way at once; one that waits for a person is not. Default: no limit.',
  ).optional(),
  max_cost_usd: amount(
    'US dollars for all runs together: once spent, no further run begins. What is started after all have ended has it anew. Default: no limit.',
    'US dollars',
  ).optional(),
  worktree: flag('Whether each run works in a git worktree of its own.').prefault(false),
  prompts: list(
    plainText('A prompt'),
    'What `mulligan group start NAME` runs. Default: only what `mulligan run --group NAME` is given.',
  ).prefault([]),
})
/** `[[group]]` as it is in force: defaults filled in. */
export type GroupConfig = z.output<typeof group>
