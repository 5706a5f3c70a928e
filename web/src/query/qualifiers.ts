import { KINDS } from '../../../src/failure/failure.ts'
import { OPERATION_STATES } from '../../../src/ledger/operation.ts'
import { PARK_REASONS } from '../../../src/verdict/verdict.ts'

/** One thing that a query can ask about: `name:value`. The names are those of `mulligan ops ls`. */
export interface Qualifier {
  name: string
  /** Name in the API. */
  param: string
  /** One line for people. */
  words: string
  /** All values, where they are known beforehand. */
  values?: readonly string[]
  /** Values that the daemon knows. */
  from?: 'capabilities' | 'providers'
  /** May be given several times; then any of them counts. */
  isList?: true
  /** A time, or how long ago. */
  isTime?: true
}

/** Everything that a query can ask about. */
export const QUALIFIERS: readonly Qualifier[] = [
  { name: 'state', param: 'state', words: 'how it stands', values: OPERATION_STATES, isList: true },
  {
    name: 'capability',
    param: 'capability',
    words: 'what it runs',
    from: 'capabilities',
    isList: true,
  },
  { name: 'provider', param: 'provider', words: 'who can serve it', from: 'providers' },
  { name: 'class', param: 'class', words: 'class of its last failure', values: Object.keys(KINDS) },
  { name: 'kind', param: 'kind', words: 'kind of its last failure', values: Object.values(KINDS).flat() },
  { name: 'parked-for', param: 'parked_for', words: 'what it is parked for', values: PARK_REASONS },
  { name: 'held-by', param: 'held_by', words: 'the provider that it is held for', from: 'providers' },
  { name: 'session', param: 'session', words: 'who asked for it' },
  { name: 'fingerprint', param: 'fingerprint', words: 'fingerprint of its last failure' },
  {
    name: 'since',
    param: 'since',
    words: 'submitted since: a time, or 2h for the last two hours',
    values: ['15m', '1h', '6h', '1d', '7d'],
    isTime: true,
  },
  {
    name: 'before',
    param: 'before',
    words: 'submitted before: a time, or 2h for two hours ago',
    values: ['15m', '1h', '6h', '1d', '7d'],
    isTime: true,
  },
]
