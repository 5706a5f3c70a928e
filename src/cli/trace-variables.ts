import { type Trace, traceFrom } from '../ledger/trace.ts'
import type { Terminal } from './main.ts'

/** The trace that whoever started this command put into its environment, as tools for tracing do. */
export function traceIn({ env }: Pick<Terminal, 'env'>): { trace?: Trace } {
  const trace = traceFrom(env.TRACEPARENT, env.TRACESTATE)
  return trace ? { trace } : {}
}
