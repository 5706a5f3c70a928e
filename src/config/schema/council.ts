import type { z } from 'zod'
import { table } from './table.ts'
import { duration, list, name, plainText, tables, text, whole } from './value.ts'

const argv = () =>
  list(
    text('An argument'),
    'A program that answers instead of a provider; the question comes on its stdin.',
    { least: 1 },
  ).optional()

const member = table({
  name: name('What the summary calls it.'),
  provider: name('The id of the provider that answers.').optional(),
  command: argv(),
  model: plainText('The model. Default: the first of the provider.', 'the name of a model').optional(),
})

const aggregator = table({
  provider: name('The id of the provider that merges the answers.').optional(),
  command: argv(),
  model: plainText('The model. Default: the first of the provider.', 'the name of a model').optional(),
  budget: duration('Time for merging.').prefault('2m'),
})

/** `[[council]]` */
export const council = table({
  id: name('What it is called on the command line.'),
  members: tables(member, 'council.members', 'Who answers; at least two.', { least: 2 }),
  quorum: whole('Answers after which the others are no longer waited for. Default: all members.', {
    least: 2,
  }).optional(),
  budget: duration('Time of each member, over all its tries and waits.').prefault('4m30s'),
  min_retry_budget: duration('A member is retried only with more than this left.', { least: '0s' }).prefault(
    '30s',
  ),
  grace: duration('How long members are waited for after the quorum.', { least: '0s' }).prefault('0s'),
  hard_cap: duration(
    'End of it all. Default: the budgets of members and aggregator, the grace, and 30 s.',
  ).optional(),
  aggregator: aggregator
    .describe('Who merges the answers. Without it, they are given as they are.')
    .optional(),
})
/** `[[council]]` as it is in force: defaults filled in, durations in milliseconds. */
export type CouncilConfig = z.output<typeof council>
