import { needsPerson } from '../../../queue/needs-person.ts'
import type { Queue } from '../../../queue/queue.ts'
import type { RunView, StepView } from '../../../workflow/view.ts'
import { Problem } from '../../http/problem.ts'

// What only people decide in a workflow run. An agent that asks for it is refused.

/** Who answers a question instead of the agent; undefined if the agent may. */
export function answererOf(
  { run }: RunView,
  { step }: StepView,
  by: string,
): 'person' | 'another' | undefined {
  if ((step.answeredBy ?? 'person') === 'person') return 'person'
  return run.by === by ? 'another' : undefined
}

/**
 * Refuses what only a person may say: the answer to a question for people, to one of a run that the agent started itself, and the
 * result of a step that may have taken effect.
 */
export function mayAnswer(view: RunView, id: string, by: string): void {
  const found = view.steps.find(({ step }) => step.id === id)
  if (!found) return
  if (found.step.ask === undefined) {
    // Its record stays when its operation is deleted.
    const operation = found.record?.operation
    if (operation !== undefined)
      throw refused(`step ${id} (${operation}) may have taken effect, and only a person supplies its result`)
    return
  }
  const answerer = answererOf(view, found, by)
  if (answerer === 'person') throw refused(`step ${id} asks a person, not an agent`)
  if (answerer) throw refused(`you started ${view.run.id}, so somebody else answers step ${id}`)
}

/** Refuses to go on without a question that the agent may not answer, without what decides whether it is asked, or what may have happened. */
export async function maySkip(
  queue: Pick<Queue, 'ledger' | 'registry'>,
  view: RunView,
  id: string,
  by: string,
): Promise<void> {
  const found = view.steps.find(({ step }) => step.id === id)
  if (!found) return
  if (found.step.ask !== undefined) return mayAnswer(view, id, by)
  const asked = questionDecidedBy(view, id)
  if (asked) throw refused(`whether a person is asked in step ${asked} follows from step ${id}`)
  const operation = found.record?.operation
  if (operation === undefined) return
  const isHarmless = queue.registry.get(found.step.run ?? '')?.retry === 'replay'
  const why = found.operation ? await needsPerson(queue, found.operation) : isHarmless ? undefined : 'deleted'
  if (why !== undefined)
    throw refused(`step ${id} (${operation}) may have taken effect, and only a person goes on without it`)
}

/** A skipped step has no result, so a condition on it is false, and what it guards is skipped too. */
function questionDecidedBy({ graph, steps }: RunView, id: string): string | undefined {
  const dependents = graph.dependents(graph.placeOf(id)).map(place => (steps[place] as StepView).step)
  if (!dependents.some(({ when }) => when !== undefined)) return undefined
  return dependents.find(({ ask, answeredBy = 'person' }) => ask !== undefined && answeredBy === 'person')?.id
}

function refused(why: string): Problem {
  return new Problem(403, 'needs_person', `${why}; tell the user`)
}
