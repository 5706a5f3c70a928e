import type { WorkStepOptions } from '../../capability/context.ts'
import { toJson } from '../../capability/json.ts'
import type { Mask } from '../../capability/secret/mask.ts'
import { WrongArgument } from '../../failure/own-error.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Fence } from '../../ledger/operation.ts'

/** Limit of the value that one step may return, in bytes of JSON: 1 MiB. */
const VALUE_LIMIT_BYTES = 2 ** 20

/** What the steps of a try's work need. */
export interface WorkStepsDeps {
  ledger: Pick<Ledger, 'rememberedSteps' | 'transaction'>
  fence: Fence
  /** Knows the secrets of the run. */
  mask: Mask
  /** Called if another runner has the run now, or it ended. */
  onStale: () => void
}

/** The steps of one try's work: what an earlier try has done is not done again. */
export class WorkSteps {
  readonly #deps: WorkStepsDeps
  #remembered: Promise<Map<string, unknown>> | undefined
  readonly #used = new Set<string>()
  /** Errors thrown by steps that are a single request. */
  readonly #ofOneRequest = new WeakSet<object>()

  constructor(deps: WorkStepsDeps) {
    this.#deps = deps
  }

  /** Does a step of the work and remembers what it returned, unless it is already remembered. */
  async step<T>(
    id: string,
    work: () => T | Promise<T>,
    { atomic = false }: WorkStepOptions = {},
  ): Promise<T> {
    if (typeof id !== 'string' || id === '')
      throw new WrongArgument(`step: give each part of the work its own name, not ${JSON.stringify(id)}`)
    if (this.#used.has(id))
      throw new WrongArgument(
        `step: ${JSON.stringify(id)} is used twice; give each its own name, such as "${id}-2"`,
      )
    this.#used.add(id)
    this.#remembered ??= this.#read()
    const remembered = await this.#remembered
    if (remembered.has(id)) return remembered.get(id) as T
    let value: T
    try {
      value = await work()
    } catch (error) {
      if (atomic && typeof error === 'object' && error !== null) this.#ofOneRequest.add(error)
      throw error
    }
    return (await this.#remember(id, value)) as T
  }

  /** Whether a step that is a single request threw this: then the failure covers everything new that the try did. */
  isOfOneRequest(error: unknown): boolean {
    return typeof error === 'object' && error !== null && this.#ofOneRequest.has(error)
  }

  async #read(): Promise<Map<string, unknown>> {
    const { ledger, fence } = this.#deps
    const steps = await ledger.rememberedSteps(fence.id)
    return new Map(steps.map(({ step, value }) => [step, value]))
  }

  /** Returns the value as it will be remembered, so that a second run sees what the first one saw. */
  async #remember(id: string, given: unknown): Promise<unknown> {
    const { ledger, fence, mask, onStale } = this.#deps
    const value = toJson(given)
    const text = JSON.stringify(value)
    const wrong = (problem: string) =>
      new WrongArgument(`step ${JSON.stringify(id)} returned ${problem}, which cannot be remembered`)
    if (text !== undefined && Buffer.byteLength(text) > VALUE_LIMIT_BYTES)
      throw wrong(`more than ${VALUE_LIMIT_BYTES} bytes of JSON`)
    if (text !== undefined && JSON.stringify(mask.value(value)) !== text) throw wrong('a secret of this run')
    const isWritten = await ledger.transaction(writes => writes.rememberStep(fence, id, value))
    if (!isWritten) {
      onStale()
      throw new Error(`step ${JSON.stringify(id)}: another runner has taken over`)
    }
    return value
  }
}
