import { nearestOrKnown } from '../option/nearest.ts'
import { WorkflowError } from './error.ts'
import { isWorkflow, type Workflow } from './workflow.ts'

/** Workflows that a process can start, by name. */
export class WorkflowRegistry {
  readonly #workflows = new Map<string, { workflow: Workflow; from: string }>()

  constructor(workflows: readonly Workflow[] = []) {
    for (const workflow of workflows) this.add(workflow)
  }

  /**
   * Adds a workflow. Throws a {@link WorkflowError} if the name is taken.
   * @param from where it was defined, for messages. Default `code`.
   */
  add(workflow: Workflow, from = 'code'): this {
    if (!isWorkflow(workflow))
      throw new WorkflowError('invalid', 'this is not a workflow; make one with defineWorkflow({ … })')
    const other = this.#workflows.get(workflow.name)
    if (other && other.workflow !== workflow)
      throw new WorkflowError(
        'invalid',
        `workflow ${JSON.stringify(workflow.name)} is defined twice: in ${other.from} and in ${from}; give one of them another name`,
      )
    this.#workflows.set(workflow.name, { workflow, from })
    return this
  }

  /** The workflow of this name. For an unknown one, throws a {@link WorkflowError} that suggests the nearest name. */
  get(name: string): Workflow {
    const found = this.#workflows.get(name)
    if (found) return found.workflow
    const remedy = nearestOrKnown(name, this.names, 'add a [[workflow]] to mulligan.toml')
    throw new WorkflowError('unknown_workflow', `there is no workflow ${JSON.stringify(name)}; ${remedy}`)
  }

  /** All names, in alphabetical order. */
  get names(): string[] {
    return [...this.#workflows.keys()].sort()
  }

  /** All workflows, in the order they were added. */
  [Symbol.iterator](): IterableIterator<Workflow> {
    return this.#workflows
      .values()
      .map(({ workflow }) => workflow)
      [Symbol.iterator]()
  }
}
