import { LedgerError } from './error.ts'

/** The trace that something belongs to, in the words of W3C Trace Context, so that a later run can continue it. */
export interface Trace {
  /** Version, trace id, parent span and flags: `00-…-…-01`. */
  traceparent: string
  /** What vendors add, as it came; at most 512 characters. */
  tracestate?: string
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
const LONGEST_STATE = 512

/** Whether a header names a trace, as the standard wants it; one that does not is to be left out. */
export function isTraceparent(header: string): boolean {
  return TRACEPARENT.test(header)
}

/** The trace that headers or variables name. Undefined for what names none: by the standard, that counts as none. */
export function traceFrom(
  traceparent: string | undefined,
  tracestate: string | undefined,
): Trace | undefined {
  if (traceparent === undefined || !isTraceparent(traceparent)) return undefined
  const isUsable = tracestate !== undefined && tracestate !== '' && tracestate.length <= LONGEST_STATE
  return { traceparent, ...(isUsable ? { tracestate } : {}) }
}

/** Refuses a trace that nothing could continue. */
export function checkTrace({ traceparent, tracestate = '' }: Trace): void {
  if (!isTraceparent(traceparent))
    throw new LedgerError(
      'invalid',
      `traceparent ${JSON.stringify(traceparent)}: give version-trace-span-flags in lower-case hex, such as 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`,
    )
  if (tracestate.length > LONGEST_STATE)
    throw new LedgerError(
      'invalid',
      `tracestate has ${tracestate.length} characters: give at most ${LONGEST_STATE}`,
    )
}
