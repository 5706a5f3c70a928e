import { type Trace, traceFrom } from '../../ledger/trace.ts'
import type { Terminal } from '../terminal.ts'

/** The trace in the command's environment, as tracing tools set it. */
export function traceIn({ env }: Pick<Terminal, 'env'>): { trace?: Trace } {
  const trace = traceFrom(env.TRACEPARENT, env.TRACESTATE)
  return trace ? { trace } : {}
}
