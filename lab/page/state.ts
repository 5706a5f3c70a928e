import type { FaultStep } from '../plan/step.ts'

/** Which faults are pending, in a sentence. */
export function stateOf(steps: readonly FaultStep[]): string {
  if (steps.length === 0) return 'No fault is pending: all requests are answered.'
  const names = steps.map(({ fault, times }) => (times === 'always' ? `${fault} (always)` : fault))
  return `Waiting to strike: ${names.join(', ')}`
}
