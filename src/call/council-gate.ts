import type { Gate } from '../provider/gate.ts'

/**
 * The health of providers as a council uses it. A member has one retry at most, so what earlier councils took from a provider's
 * bucket of retries never takes it away.
 */
export function councilGate(gate: Gate): Gate {
  const { wait } = gate
  return {
    choose: request => gate.choose(request),
    outlook: request => gate.outlook(request),
    ...(wait ? { wait: (request, ms) => wait.call(gate, request, ms) } : {}),
    mayRetry: () => true,
  }
}
