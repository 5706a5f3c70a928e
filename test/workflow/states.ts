import type { RunView } from '../../src/workflow/view.ts'

/** The state of each step of a run, by the step's id. */
export function statesOf({ steps }: RunView): Record<string, string> {
  return Object.fromEntries(steps.map(({ step, state }) => [step.id, state]))
}
