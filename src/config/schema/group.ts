import type { z } from 'zod'
import { table } from './table.ts'
import { amount, flag, list, name, plainText, whole } from './value.ts'

/** `[[group]]` */
export const group = table({
  name: name('Its name: all runs started under it share the limits.'),
  pool: name(
    'Agents that serve it: a `[[pool]]`, or the id of one provider. Default: the configured agents.',
  ).optional(),
  max_running: whole(
    'How many runs may be in progress at once, not counting those that wait for a person. Default: no limit.',
  ).optional(),
  max_cost_usd: amount(
    'US dollars for all runs together: once spent, no further run begins. Runs started after all others have ended get a new budget. Default: no limit.',
    'US dollars',
  ).optional(),
  worktree: flag('Whether each run works in its own git worktree.').prefault(false),
  prompts: list(
    plainText('A prompt'),
    'The capability that `mulligan group start NAME` runs. Default: none; only `mulligan run --group NAME` starts runs.',
  ).prefault([]),
})
/** `[[group]]` with defaults filled in. */
export type GroupConfig = z.output<typeof group>
