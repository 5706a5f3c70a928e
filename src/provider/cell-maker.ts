import type { Time } from '../time/time.ts'
import { Cell, type OnChanged } from './cell.ts'
import type { HealthEvent } from './event.ts'
import type { ProviderStore } from './store.ts'

type WithoutTime<E> = E extends HealthEvent ? Omit<E, 'at'> : never

/** Makes the cells of one health. They share one store, one clock and one listener. */
export class CellMaker {
  readonly time: Time
  /** In [0, 1). */
  readonly random: () => number
  readonly #store: ProviderStore | undefined
  readonly #onEvent: (event: HealthEvent) => void
  readonly #onProblem: (error: unknown) => void

  /**
   * @param store undefined to keep everything in this process
   * @param onProblem called when the store cannot be read or written
   */
  constructor(
    time: Time,
    store: ProviderStore | undefined,
    onEvent: (event: HealthEvent) => void,
    onProblem: (error: unknown) => void,
    random: () => number = Math.random,
  ) {
    this.time = time
    this.random = random
    this.#store = store
    this.#onEvent = onEvent
    this.#onProblem = onProblem
  }

  /** Whether other processes see the cells too. */
  get isShared(): boolean {
    return this.#store !== undefined
  }

  make<T>(key: string, onChanged: OnChanged<T> = () => {}): Cell<T> {
    return new Cell<T>(key, this.#store, onChanged, this.#onProblem)
  }

  /** Reports a transition, with the current time. */
  emit(event: WithoutTime<HealthEvent>): void {
    this.#onEvent({ at: this.time.now(), ...event } as HealthEvent)
  }
}
