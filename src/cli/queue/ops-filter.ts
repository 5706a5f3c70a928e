import { isFailureKind, KINDS } from '../../failure/failure.ts'
import { present } from '../../failure/present.ts'
import type { OperationFilter } from '../../ledger/filter.ts'
import { OPERATION_STATES } from '../../ledger/operation.ts'
import { nearest } from '../../option/nearest.ts'
import { PARKED_FOR } from '../../queue/run-result.ts'
import { CANCEL_REASONS } from '../../verdict/verdict.ts'
import { UsageError } from '../flag/arguments.ts'
import { choiceFlag, pastFlag } from '../flag/flags.ts'

/** Filter flags. */
export const FILTER_OPTIONS = {
  state: { type: 'string', multiple: true },
  capability: { type: 'string', multiple: true },
  engine: { type: 'string' },
  provider: { type: 'string' },
  class: { type: 'string' },
  kind: { type: 'string' },
  fingerprint: { type: 'string' },
  'parked-for': { type: 'string' },
  as: { type: 'string' },
  'held-by': { type: 'string' },
  session: { type: 'string' },
  text: { type: 'string' },
  since: { type: 'string' },
  before: { type: 'string' },
} as const

/** Help text for the filter flags. */
export const FILTER_USAGE = `Filter (operations that match all of these):
  --state S         ${OPERATION_STATES.join(', ')}; may be repeated
  --capability C    with this capability; may be repeated
  --engine E        jobs of this engine: bullmq, pg-boss, graphile-worker …
  --provider P      that this provider can serve
  --class C         whose last failure has this class
  --kind K          whose last failure has this kind
  --fingerprint F   whose last failure has this fingerprint
  --parked-for P    parked for ${Object.keys(PARKED_FOR).join(', ')}
  --as R            dead as ${CANCEL_REASONS.join(', ')}
  --held-by P       held until this provider can serve
  --session S       submitted by this session, or run in it
  --text WORDS      whose failures contain all these words
  --since TIME      submitted at or after this time, such as 2026-11-15T20:00:00Z, or 2h for the last two hours
  --before TIME     submitted before this time`

/** Values of the filter flags. */
export type FilterFlags = {
  [K in keyof typeof FILTER_OPTIONS]?:
    | ((typeof FILTER_OPTIONS)[K] extends { multiple: true } ? string[] : string)
    | undefined
}

/** The filter that the flags describe; undefined if none was given. */
export function filterOf(flags: FilterFlags, now: number): OperationFilter | undefined {
  const states = flags.state?.map(state => choiceFlag('--state', state, OPERATION_STATES) as never)
  const parkedFor = choiceFlag(
    '--parked-for',
    flags['parked-for'],
    Object.keys(PARKED_FOR) as (keyof typeof PARKED_FOR)[],
  )
  const deadAs = choiceFlag('--as', flags.as, CANCEL_REASONS)
  const cls = choiceFlag('--class', flags.class, Object.keys(KINDS) as (keyof typeof KINDS)[])
  const createdFrom = pastFlag('--since', flags.since, now)
  const createdBefore = pastFlag('--before', flags.before, now)
  const filter: OperationFilter = {
    ...(states ? { state: states } : {}),
    ...(flags.capability ? { capability: flags.capability } : {}),
    ...present({ engine: flags.engine, provider: flags.provider, class: cls }),
    ...(flags.kind === undefined ? {} : { kind: kindOf(flags.kind) }),
    ...present({ fingerprint: flags.fingerprint, parkedFor, deadAs }),
    ...(flags['held-by'] === undefined ? {} : { heldBy: flags['held-by'] }),
    ...present({ session: flags.session, text: flags.text, createdFrom, createdBefore }),
  }
  return Object.keys(filter).length > 0 ? filter : undefined
}

function kindOf(name: string) {
  if (isFailureKind(name)) return name
  const guess = nearest(name, Object.values(KINDS).flat())
  throw new UsageError(
    `--kind takes the kind of a failure, such as rate_limit, not ${JSON.stringify(name)}${guess ? `; did you mean ${guess}?` : ''}`,
  )
}
