import { prepareRun } from '../capability/prepare-run.ts'
import type { ClaimedRun } from '../engine/engine.ts'
import { isEnded } from '../ledger/operation.ts'
import type { QueueDeps } from './queue-deps.ts'
import type { RunEnd } from './run/run-end.ts'

const NONE: ReadonlySet<string> = new Set()

/**
 * Operations that this runner had to park, for want of a key, a variable, or a capability that their parameters fit.
 * A runner that has what they need moves them; claimed here again, they would be parked again. So they are left to the other
 * runners, as long as there are any that have the capability.
 */
export class UnrunnableOperations {
  readonly #deps: QueueDeps
  /** Capabilities of those that cannot be run here, by their ids. */
  readonly #unable = new Map<string, string>()

  constructor(deps: QueueDeps) {
    this.#deps = deps
  }

  /** What a claim leaves alone. Runners come and go, so that they are asked for each time; mostly there is no need to. */
  ids(): ReadonlySet<string> | Promise<ReadonlySet<string>> {
    return this.#unable.size === 0 ? NONE : this.#thatOthersMayRun()
  }

  /** A run of this runner has ended. */
  ended({ operation }: Pick<ClaimedRun, 'operation'>, end: RunEnd): void {
    if (isUnable(end)) this.#unable.set(operation.id, operation.capability)
  }

  /** Looks again at what could not be run here: keys come, and parameters are changed. Never rejects. */
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

/** Whether it was parked because it could not even be begun here; what a policy or a hook parks is another matter. */
function isUnable(end: RunEnd): boolean {
  return end.end === 'settled' && end.verdict.action === 'park' && end.verdict.origin === 'runner'
}
