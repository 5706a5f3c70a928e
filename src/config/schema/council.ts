import type { z } from 'zod'
import { table } from './table.ts'
import { duration, list, name, plainText, tables, text, whole } from './value.ts'

const argv = () =>
  list(text('An argument'), 'A program that answers instead of a provider; it gets the question on stdin.', {
    least: 1,
  }).optional()

const member = table({
  name: name('Its name in the summary.'),
  provider: name('The id of the provider that answers.').optional(),
  command: argv(),
  model: plainText("The model. Default: the provider's first.", 'the name of a model').optional(),
})

const aggregator = table({
  provider: name('The id of the provider that merges the answers.').optional(),
  command: argv(),
  model: plainText("The model. Default: the provider's first.", 'the name of a model').optional(),
  budget: duration('Time for merging.').prefault('2m'),
})

/** `[[council]]` */
export const council = table({
  id: name('Its name on the command line.'),
  members: tables(member, 'council.members', 'The members; at least two.', { least: 2 }),
  quorum: whole('Stop waiting after this many answers. Default: all members.', {
    least: 2,
  }).optional(),
  budget: duration('Time per member, including retries and waits.').prefault('4m30s'),
  min_retry_budget: duration('Retry a member only with more than this left.', { least: '0s' }).prefault(
    '30s',
  ),
  grace: duration('Extra time for the other members after the quorum.', { least: '0s' }).prefault('0s'),
  hard_cap: duration(
    'Time limit for everything. Default: member budget + aggregator budget + grace + 30 s.',
  ).optional(),
  aggregator: aggregator
    .describe('What merges the answers. Without it, they are returned as they are.')
    .optional(),
})
/** `[[council]]` with defaults filled in and durations in milliseconds. */
export type CouncilConfig = z.output<typeof council>
