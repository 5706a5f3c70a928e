import { nearestOrKnown } from '../option/nearest.ts'
import type { Plan, PlanStep } from '../plan/plan.ts'
import { dependenciesOf } from '../plan/problems.ts'
import { WorkflowError } from './error.ts'

/** The steps of a plan by position, with their dependencies. */
export class Graph {
  readonly plan: Plan
  readonly steps: readonly PlanStep[]
  readonly #places: ReadonlyMap<string, number>
  readonly #before: readonly (readonly number[])[]
  readonly #after: readonly (readonly number[])[]

  /** @param plan a plan without problems */
  constructor(plan: Plan) {
    this.plan = plan
    this.steps = plan.steps
    this.#places = new Map(plan.steps.map(({ id }, place) => [id, place]))
    this.#before = plan.steps.map(step => dependenciesOf(step).map(id => this.#places.get(id) as number))
    const after: number[][] = plan.steps.map(() => [])
    for (const [place, before] of this.#before.entries()) for (const each of before) after[each]?.push(place)
    this.#after = after
  }

  /** The step at this position. */
  at(place: number): PlanStep {
    return this.steps[place] as PlanStep
  }

  /** The position of a step. For an unknown one, throws a {@link WorkflowError} that suggests the nearest name. */
  placeOf(id: string): number {
    const place = this.#places.get(id)
    if (place !== undefined) return place
    const remedy = nearestOrKnown(id, [...this.#places.keys()])
    throw new WorkflowError(
      'unknown_step',
      `the workflow ${this.plan.name} has no step ${JSON.stringify(id)}; ${remedy}`,
    )
  }

  /** Positions of the steps that a step depends on. */
  before(place: number): readonly number[] {
    return this.#before[place] as readonly number[]
  }

  /** Positions of all steps that depend on a step, directly or indirectly, in the order of the plan. */
  dependents(place: number): number[] {
    const found = new Set<number>()
    const visit = (each: number) => {
      for (const next of this.#after[each] as readonly number[])
        if (!found.has(next)) {
          found.add(next)
          visit(next)
        }
    }
    visit(place)
    return [...found].sort((a, b) => a - b)
  }
}
