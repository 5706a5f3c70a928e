import { ALL_KINDS } from '../../failure.ts'
import { family, type RuleSource } from '../rule.ts'

const kinds = ALL_KINDS.filter(kind => kind !== 'unknown')

/**
 * Our own kinds, as tools and programs put them into `error_kind`. A name that was chosen on purpose, and that
 * survives JSON and other processes, is believed before any text.
 */
export default family(
  'typed',
  Object.fromEntries(
    kinds.map((kind): [string, RuleSource] => [
      kind,
      {
        kind,
        rank: 'told',
        why: 'the failed program names the kind of failure itself',
        when: { code: [`error_kind=${kind}`] },
        // The words say something else, and the kind is believed.
        example: {
          error: kind === 'billing' ? 'no space left on device' : 'insufficient balance',
          error_kind: kind,
        },
        exampleReturned: true,
      },
    ]),
  ),
)
