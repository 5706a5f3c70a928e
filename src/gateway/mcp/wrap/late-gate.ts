import type { Choice, Gate, GateRequest, Outlook } from '../../../provider/gate.ts'

/** The health of all processes, once it is there: a client need not wait for the ledger to say hello. */
export class LateGate implements Gate {
  readonly #opened = Promise.withResolvers<Gate>()
  #gate: Gate | undefined

  /** @param gate undefined if there is none: then every call is admitted, and nothing is remembered */
  open(gate: Gate | undefined): void {
    this.#gate = gate ?? ADMITS_ALL
    this.#opened.resolve(this.#gate)
  }

  choose(request: GateRequest): Choice | Promise<Choice> {
    return this.#gate ? this.#gate.choose(request) : this.#opened.promise.then(gate => gate.choose(request))
  }

  outlook(request: GateRequest): Outlook | Promise<Outlook> {
    return this.#gate ? this.#gate.outlook(request) : this.#opened.promise.then(gate => gate.outlook(request))
  }

  mayRetry(provider: string): boolean {
    return this.#gate?.mayRetry(provider) ?? true
  }
}

const ADMITS_ALL: Gate = {
  choose: ({ pool }) => ({
    permit: { provider: pool[0] as string, succeeded: () => {}, failed: () => {}, released: () => {} },
    passedOver: [],
  }),
  outlook: () => ({ otherProviderAvailable: false }),
  mayRetry: () => true,
}
