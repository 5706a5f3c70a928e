import { present } from '../../failure/present.ts'
import { citizenCapability, heldByEngine } from '../../ledger/citizen.ts'
import type { ScheduledOperation } from '../../ledger/operation.ts'
import type { Settlement } from '../../ledger/settlement.ts'
import type { QueueDeps } from '../../queue/queue-deps.ts'
import { asObject } from '../job/record.ts'
import type { EngineDesk, StateInEngine } from './desk.ts'

/** How often the ledger is compared with the engine, about, in milliseconds. */
const EVERY_MS = 60_000
/** How long after it was due a job is asked about, in milliseconds. */
const LATE_MS = 60_000
/** Most operations that are looked at together. */
const PAGE = 100

type Deps = Pick<QueueDeps, 'ledger' | 'engine' | 'time' | 'random'>

/**
 * Ends operations whose job has ended in its engine without a report: the worker died while the ledger could not be
 * reached, or the engine ended the job by itself.
 */
export class Reconciler {
  readonly #deps: Deps
  readonly #desk: EngineDesk
  readonly #onError: (error: unknown) => void
  #cursor: string | undefined
  #cancelTimer: (() => void) | undefined
  #looking: Promise<void> | undefined
  #isStopped = false

  constructor(deps: Deps, desk: EngineDesk, onError: (error: unknown) => void) {
    this.#deps = deps
    this.#desk = desk
    this.#onError = onError
  }

  start(): void {
    const { time, random } = this.#deps
    const after = time.inBackground ?? time.after
    this.#cancelTimer = after.call(time, EVERY_MS * (0.5 + random()), () => {
      this.#looking = this.look()
        .catch(this.#onError)
        .finally(() => {
          if (!this.#isStopped) this.start()
        })
    })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancelTimer?.()
    await this.#looking
  }

  /** Compares the next operations that the engine should have. */
  async look(): Promise<void> {
    const { ledger, time } = this.#deps
    const { engine, queue } = this.#desk
    const page = await ledger.list(
      { capability: citizenCapability(engine, queue), heldBy: heldByEngine(engine), state: 'scheduled' },
      { limit: PAGE, ...present({ cursor: this.#cursor }) },
    )
    this.#cursor = page.next
    for (const operation of page.items) {
      if (this.#isStopped) return
      if (operation.state === 'scheduled' && operation.dueAt + LATE_MS < time.now())
        await this.#compare(operation)
    }
  }

  async #compare(known: ScheduledOperation): Promise<void> {
    const { ledger, engine } = this.#deps
    const jobId = asObject(known.context)?.job_id
    if (typeof jobId !== 'string') return
    const settlement = endOf(this.#desk.engine, await this.#desk.state(jobId))
    if (!settlement) return
    const { id, capability, params, run, heldBy } = known
    const operation = await ledger.get(id)
    // Reported meanwhile.
    if (operation?.state !== 'scheduled' || operation.run !== run || operation.heldBy !== heldBy) return
    await engine.report({ id, operation: { capability, params }, settlement })
  }
}

/** How a job ended that the engine has ended; undefined if it has not. */
function endOf(engine: string, found: StateInEngine): Settlement | undefined {
  switch (found.state) {
    case 'waiting':
      return undefined
    case 'done':
      return { succeeded: true, ...present({ result: found.value }) }
    case 'failed':
      return ended('exhausted', `it failed in ${engine}: ${found.reason || 'for no stated reason'}`)
    case 'gone':
      return ended('unverifiable', `${engine} no longer has it, and nobody reported how it ended`)
  }
}

function ended(as: 'exhausted' | 'unverifiable', reason: string): Settlement {
  return { verdict: { action: 'cancel', as, reason, rule: 'citizen:ended' } }
}
