import { KINDS } from '../../../src/failure/failure.ts'
import { OPERATION_STATES } from '../../../src/ledger/operation.ts'
import { CANCEL_REASONS, PARK_REASONS } from '../../../src/verdict/verdict.ts'

/** One filter of a query: `name:value`. Names are the same as in `mulligan ops ls`. */
export interface Qualifier {
  name: string
  /** Name in the API. */
  param: string
  /** One line for people. */
  words: string
  /** All values, if they are fixed. */
  values?: readonly string[]
  /** Values that come from the daemon. */
  from?: 'capabilities' | 'providers'
  /** May be given several times; matches any of the values. */
  isList?: true
  /** A time, or how long ago. */
  isTime?: true
}

/** All filters of a query. */
export const QUALIFIERS: readonly Qualifier[] = [
  { name: 'state', param: 'state', words: 'its state', values: OPERATION_STATES, isList: true },
  {
    name: 'capability',
    param: 'capability',
    words: 'the capability it runs',
    from: 'capabilities',
    isList: true,
  },
  { name: 'engine', param: 'engine', words: 'the engine that runs it: bullmq, pg-boss …' },
  { name: 'provider', param: 'provider', words: 'a provider that can serve it', from: 'providers' },
  { name: 'class', param: 'class', words: 'class of its last failure', values: Object.keys(KINDS) },
  { name: 'kind', param: 'kind', words: 'kind of its last failure', values: Object.values(KINDS).flat() },
  { name: 'parked-for', param: 'parked_for', words: 'why it is parked', values: PARK_REASONS },
  { name: 'as', param: 'as', words: 'how it died', values: CANCEL_REASONS },
  { name: 'held-by', param: 'held_by', words: 'the provider it is held for', from: 'providers' },
  { name: 'session', param: 'session', words: 'the session that submitted it' },
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
