// Three reviewers at once. Two answers are enough; the one that hangs is not waited for.
import { council } from 'mulligan'

const { successes, aborted, aggregation } = await council(
  [
    { name: 'opus', ask: async () => 'ship it' },
    { name: 'gpt', ask: async () => 'one bug in line 3' },
    {
      name: 'slow',
      ask: ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', reject)),
    },
  ],
  {
    prompt: 'Review this change.',
    quorum: 2,
    graceMs: 100,
    aggregator: { aggregate: ({ successes }) => successes.map(({ value }) => value).join('; ') },
  },
)
console.log(
  `${successes.length} answered, ${aborted.length} did not: ${aggregation?.ok && aggregation.value}`,
)
