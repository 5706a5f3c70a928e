import { type FailureKind, KINDS } from '../../failure.ts'
import { family, type RuleSource } from '../rule.ts'

/** Some names need no field to be understood: what they mean stands in a rule of its own. */
const KNOWN_ANYWHERE: readonly FailureKind[] = [
  'unknown',
  'invalid_version',
  'dangerous_not_allowed',
  'invalid_tool_pattern',
]

const kinds = (Object.values(KINDS).flat() as FailureKind[]).filter(kind => !KNOWN_ANYWHERE.includes(kind))

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
        rank: 'cause',
        why: 'whoever failed says by name what kind of failure it is',
        when: { code: [`error_kind=${kind}`] },
        example: { error: 'it did not work', error_kind: kind },
        exampleReturned: true,
      },
    ]),
  ),
)
