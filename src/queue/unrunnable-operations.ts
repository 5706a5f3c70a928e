import { prepareRun } from '../capability/prepare-run.ts'
import type { ClaimedRun } from '../engine/engine.ts'
import { isEnded } from '../ledger/operation.ts'
import type { QueueDeps } from './queue-deps.ts'
import type { RunEnd } from './run/run-end.ts'

const NONE: ReadonlySet<string> = new Set()

/**
 * Operations that this runner had to park because it lacks a key, a variable, or a capability that accepts their parameters. A
 * runner that has what they need moves them; claimed here again, they would be parked again. So this runner leaves them to other
 * runners, as long as any has the capability.
 */
export class UnrunnableOperations {
  readonly #deps: QueueDeps
  /** Capabilities of operations that cannot run here, by operation id. */
  readonly #unable = new Map<string, string>()

  constructor(deps: QueueDeps) {
    this.#deps = deps
  }

  /** Operations that a claim skips. Asks for the runners each time, because they come and go; usually there is no need to. */
  ids(): ReadonlySet<string> | Promise<ReadonlySet<string>> {
    return this.#unable.size === 0 ? NONE : this.#thatOthersMayRun()
  }

  /** Called when a run of this runner has ended. */
  ended({ operation }: Pick<ClaimedRun, 'operation'>, end: RunEnd): void {
    if (isUnable(end)) this.#unable.set(operation.id, operation.capability)
  }

  /** Checks again what could not run here: a key may have been added, or parameters edited. Never rejects. */
  async look(): Promise<void> {
    const { ledger, report } = this.#deps
    try {
      for (const id of [...this.#unable.keys()]) {
        const operation = await ledger.get(id)
        const isOver = operation === undefined || isEnded(operation)
        if (isOver || (await prepareRun(operation, this.#deps)).ready) this.#unable.delete(id)
      }
    } catch (error) {
      report({ about: 'queue', error })
    }
  }

  async #thatOthersMayRun(): Promise<ReadonlySet<string>> {
    const { ledger, runnerId } = this.#deps
    const runners = (await ledger.runners()).filter(({ id }) => id !== runnerId)
    const able = new Set(runners.flatMap(({ capabilities }) => capabilities))
    const left = [...this.#unable].filter(([, capability]) => able.has(capability))
    return new Set(left.map(([id]) => id))
  }
}

/** Whether it was parked because it could not even begin here; not if a policy or a hook parked it. */
function isUnable(end: RunEnd): boolean {
  return end.end === 'settled' && end.verdict.action === 'park' && end.verdict.origin === 'runner'
}
