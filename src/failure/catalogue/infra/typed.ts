import { ALL_KINDS } from '../../failure.ts'
import { family, type RuleSource } from '../rule.ts'

const kinds = ALL_KINDS.filter(kind => kind !== 'unknown')

/**
 * Our own kinds, as tools and programs state them in `error_kind`. A name chosen on purpose, which survives JSON and
 * process boundaries, takes precedence over any text.
 */
export default family(
  'typed',
  Object.fromEntries(
    kinds.map((kind): [string, RuleSource] => [
      kind,
      {
        kind,
        rank: 'told',
        why: 'the failed program states the kind of failure itself',
        when: { code: [`error_kind=${kind}`] },
        // The words say something else, but the stated kind wins.
        example: {
          error: kind === 'billing' ? 'no space left on device' : 'insufficient balance',
          error_kind: kind,
        },
        exampleReturned: true,
      },
    ]),
  ),
)
