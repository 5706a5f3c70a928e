import type { ModelApi } from '../../config/model-apis.ts'

/** A request that waits until a provider can serve it. */
export interface Hold {
  id: string
  api: ModelApi
  client: string
  model: string | undefined
  /** The provider that refused last. */
  provider: string | undefined
  /** Epoch milliseconds. */
  since: number
  /** When the provider should serve again, epoch milliseconds; unknown if it said nothing. */
  until: number | undefined
  reason: string
}

/** A person, or the end of the proxy, ended the wait. */
export class HoldEnded extends Error {
  override name = 'HoldEnded'
  /** Whether the client may ask again: only this proxy ends, and another may answer. */
  readonly mayAskAgain: boolean

  constructor(why: string, mayAskAgain = false) {
    super(why)
    this.mayAskAgain = mayAskAgain
  }
}

/** The requests that wait now. */
export class Holds {
  readonly #held = new Map<string, { hold: Hold; end: (why: HoldEnded) => void }>()

  #closedBecause: string | undefined

  list(): Hold[] {
    return [...this.#held.values()].map(({ hold }) => hold)
  }

  /** Lists a hold, or what is new about it. @param end ends the request's wait */
  note(hold: Hold, end: (why: HoldEnded) => void): void {
    this.#held.set(hold.id, { hold, end })
    if (this.#closedBecause !== undefined) end(new HoldEnded(this.#closedBecause, true))
  }

  /** It no longer waits. */
  drop(id: string): void {
    this.#held.delete(id)
  }

  /** Ends a wait: its client is told that nobody could serve it. Returns undefined for an unknown id. */
  refuse(id: string, why: string): Hold | undefined {
    const held = this.#held.get(id)
    held?.end(new HoldEnded(why))
    return held?.hold
  }

  /** Ends all waits, and each that would begin later. */
  close(why: string): void {
    this.#closedBecause = why
    for (const { end } of this.#held.values()) end(new HoldEnded(why, true))
  }
}
