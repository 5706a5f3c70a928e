import { LedgerError } from './error.ts'

/** A place in a distributed trace, in W3C Trace Context terms, so that a later run can continue it. */
export interface Trace {
  /** Version, trace id, parent span and flags: `00-…-…-01`. */
  traceparent: string
  /** What vendors add, unchanged; at most 512 characters. */
  tracestate?: string
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
const LONGEST_STATE = 512

/** Whether a header names a trace according to the standard; ignore one that does not. */
export function isTraceparent(header: string): boolean {
  return TRACEPARENT.test(header)
}

/**
 * The trace named by headers or variables. Undefined if they name none or an invalid one: the standard treats both the
 * same.
 */
export function traceFrom(
  traceparent: string | undefined,
  tracestate: string | undefined,
): Trace | undefined {
  if (traceparent === undefined || !isTraceparent(traceparent)) return undefined
  const isUsable = tracestate !== undefined && tracestate !== '' && tracestate.length <= LONGEST_STATE
  return { traceparent, ...(isUsable ? { tracestate } : {}) }
}

/** Refuses an invalid trace, which nothing could continue. */
export function checkTrace({ traceparent, tracestate = '' }: Trace): void {
  if (!isTraceparent(traceparent))
    throw new LedgerError(
      'invalid',
      `traceparent must be version-trace-span-flags in lower-case hex, such as 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01, not ${JSON.stringify(traceparent)}`,
    )
  if (tracestate.length > LONGEST_STATE)
    throw new LedgerError(
      'invalid',
      `tracestate must have at most ${LONGEST_STATE} characters, not ${tracestate.length}`,
    )
}
