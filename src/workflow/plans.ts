import type { Ledger } from '../ledger/ledger.ts'
import type { WorkflowRun } from '../ledger/workflow-run.ts'
import type { Plan } from '../plan/plan.ts'
import { Graph } from './graph.ts'

/** Maximum number of remembered plans; a process rarely works on more at a time. */
const MOST = 200

/** Reads plans from the ledger and remembers their graphs: a plan never changes. */
export class Plans {
  readonly #ledger: Pick<Ledger, 'workflowPlan'>
  readonly #graphs = new Map<string, Graph>()

  constructor(ledger: Pick<Ledger, 'workflowPlan'>) {
    this.#ledger = ledger
  }

  /** The graph of a run's plan. */
  async of({ plan }: Pick<WorkflowRun, 'plan'>): Promise<Graph> {
    const known = this.#graphs.get(plan)
    if (known) return known
    const graph = new Graph((await this.#ledger.workflowPlan(plan)) as Plan)
    const [oldest] = this.#graphs.keys()
    if (this.#graphs.size >= MOST && oldest !== undefined) this.#graphs.delete(oldest)
    this.#graphs.set(plan, graph)
    return graph
  }
}
