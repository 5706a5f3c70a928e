import type { ProviderStore, StoredState } from './store.ts'

/** Must be pure: if another process wrote first, it is applied again to the new value. */
export type Change<T> = (value: T | undefined) => T | undefined

/** Called once for each of our changes that took effect. */
export type OnChanged<T> = (before: T | undefined, after: T | undefined) => void

interface Pending<T> {
  change: Change<T>
  done?: ((value: T | undefined) => void) | undefined
  failed?: ((error: unknown) => void) | undefined
}

/** A cell, whatever its value: how it is kept in step with the store. */
export type StoredCell = Pick<
  Cell<unknown>,
  'key' | 'value' | 'load' | 'refresh' | 'isLeftUnwritten' | 'written'
>

/**
 * One piece of shared state. Changes are visible here at once and written in the background by compare-and-set. If another
 * process wrote first, they are applied again to its value. Without a store, they are only made here.
 */
export class Cell<T> {
  readonly key: string
  readonly #store: ProviderStore | undefined
  readonly #onChanged: OnChanged<T>
  readonly #onProblem: (error: unknown) => void
  /** The value once everything is written. */
  #value: T | undefined
  /** The value in the store. */
  #stored: T | undefined
  #version = 0
  readonly #pending: Pending<T>[] = []
  #writing: Promise<void> | undefined

  constructor(
    key: string,
    store: ProviderStore | undefined,
    onChanged: OnChanged<T>,
    onProblem: (error: unknown) => void,
  ) {
    this.key = key
    this.#store = store
    this.#onChanged = onChanged
    this.#onProblem = onProblem
  }

  get value(): T | undefined {
    return this.#value
  }

  /** Makes a change at once and writes it soon. A change that returns the given value does nothing. */
  update(change: Change<T>): void {
    const before = this.#value
    const after = change(before)
    if (after === before) return
    this.#value = after
    if (!this.#store) {
      this.#onChanged(before, after)
      return
    }
    this.#pending.push({ change })
    void this.#write()
  }

  /** Makes a change and waits until it is stored. The returned value shows whether it took effect. */
  commit(change: Change<T>): Promise<T | undefined> {
    if (!this.#store) {
      this.update(change)
      return Promise.resolve(this.#value)
    }
    return new Promise((done, failed) => {
      this.#value = change(this.#value)
      this.#pending.push({ change, done, failed })
      void this.#write()
    })
  }

  /** Takes over the stored value, unless ours is newer. */
  load({ value, version }: StoredState): void {
    if (version <= this.#version || this.#writing) return
    this.#take(value as T | undefined, version)
  }

  /** Reads the value again. */
  async refresh(): Promise<void> {
    await this.#writing
    if (this.#store) this.load(await this.#store.read(this.key))
  }

  /** True if a write failed and none was tried since. */
  get isLeftUnwritten(): boolean {
    return this.#pending.length > 0 && this.#writing === undefined
  }

  /** Settles when everything is written, or writing failed. */
  async written(): Promise<void> {
    if (this.#pending.length > 0) void this.#write()
    while (this.#writing) await this.#writing
  }

  #write(): Promise<void> {
    this.#writing ??= this.#writeAll()
      .catch(error => {
        // Changes that wait for the outcome fail; the others stay pending for the next write.
        for (const { failed } of this.#pending) failed?.(error)
        const kept = this.#pending.filter(({ failed }) => failed === undefined)
        this.#pending.splice(0, Infinity, ...kept)
        this.#value = this.#applied(this.#stored, kept.length)
        this.#onProblem(error)
      })
      .finally(() => {
        this.#writing = undefined
      })
    return this.#writing
  }

  async #writeAll(): Promise<void> {
    const store = this.#store as ProviderStore
    while (this.#pending.length > 0) {
      const count = this.#pending.length
      const before = this.#stored
      const after = this.#applied(before, count)
      if (after !== before) {
        const change = await store.compareAndSet(this.key, this.#version, after)
        if (!change.written) {
          this.#take(change.current.value as T | undefined, change.current.version)
          continue
        }
        this.#stored = after
        this.#version = change.version
      }
      for (const { done } of this.#pending.splice(0, count)) done?.(after)
      this.#value = this.#applied(this.#stored, this.#pending.length)
      if (after !== before) this.#onChanged(before, after)
    }
  }

  #take(value: T | undefined, version: number): void {
    this.#stored = value
    this.#version = version
    this.#value = this.#applied(value, this.#pending.length)
  }

  #applied(value: T | undefined, count: number): T | undefined {
    return this.#pending.slice(0, count).reduce((current, { change }) => change(current), value)
  }
}
