import type { FaultName } from '../../lab/fault/table.ts'

/** What a client meets at its vendor, and how it should end for the person who waits. */
export interface Scene {
  name: string
  fault?: FaultName
  /** How long the vendor fails, from the first question on; `once` strikes one request, `always` never ends. */
  lasts: number | 'once' | 'always'
  /** `told`: nothing could help, so the client must hear of it. `client`: words had come, so only the client may ask again. */
  should: 'answer' | 'told' | 'client'
}

const SECOND_MS = 1_000
const outage = (name: string, fault: FaultName, seconds: number): Scene => ({
  name: `${name}, ${seconds} s`,
  fault,
  lasts: seconds * SECOND_MS,
  should: 'answer',
})
const lasting = (name: string, fault: FaultName): Scene => ({ name, fault, lasts: 'always', should: 'told' })

export const SCENES: readonly Scene[] = [
  { name: 'nothing', lasts: 'once', should: 'answer' },
  outage('429 that says how long', 'rate_limit', 60),
  outage("a plan's window is used up", 'usage_limit', 120),
  outage('429 for want of capacity', 'capacity', 45),
  outage('overloaded (529, 503)', 'overloaded', 60),
  outage('500', 'server_error', 60),
  outage('502 with a page', 'bad_gateway', 60),
  outage('overloaded inside the stream', 'stream_overloaded', 60),
  outage('connection reset', 'reset', 60),
  outage('200 without a body', 'empty_body', 45),
  { name: 'cut in the middle, once', fault: 'cut_stream', lasts: 'once', should: 'client' },
  lasting('wrong key', 'auth'),
  lasting('unpaid bill', 'billing'),
  lasting('context overflow', 'context_overflow'),
]

/** A limit that is waited out for real. */
export function holdScene(seconds: number): Scene {
  return outage('limit with a stated end', 'rate_limit', seconds)
}
