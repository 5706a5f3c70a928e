import type { SqliteLedger } from '../../src/ledger/sqlite/sqlite-ledger.ts'
import { FakeTime } from '../../src/testing/core/fake-time.ts'
import type { Time } from '../../src/time/time.ts'

/**
 * Counts every moment at which a program waits for its ledger or its clock, and calls back at one of them: before a
 * call, when its answer is there but not used yet, or when a timer fires. For tests that interrupt a program everywhere.
 */
export class Interleaving {
  readonly fakeTime = new FakeTime()
  /** Number of moments so far. */
  moments = 0
  /** Set to false to skip moments. */
  isWatching = true
  /** Calls that have been answered, also while moments are skipped. */
  readonly answered = new Set<string>()
  /** Name of each moment, for the message of a failing test. */
  readonly names: string[] = []
  readonly #at: number
  readonly #act: () => void

  /** @param at number of the moment, from 1 */
  constructor(at: number, act: () => void) {
    this.#at = at
    this.#act = act
  }

  /** Name of the moment at which it called back. */
  get where(): string {
    return this.names[this.#at - 1] ?? 'nowhere'
  }

  /** A clock whose timers are moments. */
  get time(): Time {
    const { fakeTime } = this
    return {
      now: () => fakeTime.now(),
      monotonic: () => fakeTime.monotonic(),
      after: (ms, callback) =>
        fakeTime.after(ms, () => {
          this.#moment(`a timer of ${ms} ms`)
          callback()
        }),
    }
  }

  /** Wraps a ledger; each asynchronous call counts as two moments. */
  over(ledger: SqliteLedger): SqliteLedger {
    return this.#over(ledger, 'ledger')
  }

  #over<T extends object>(target: T, name: string): T {
    return new Proxy(target, {
      get: (_, property) => {
        const value: unknown = Reflect.get(target, property, target)
        if (property === 'providers') return this.#over(value as object, 'providers')
        if (typeof value !== 'function') return value
        return (...args: unknown[]) =>
          this.#call(`${name}.${String(property)}`, () => value.apply(target, args))
      },
    })
  }

  #call(name: string, call: () => unknown): unknown {
    const answer = call()
    if (!(answer instanceof Promise)) return answer
    this.#moment(`${name} was asked`)
    return answer.finally(async () => {
      this.#moment(`${name} has answered`)
      // Let the interruption go first.
      await new Promise<void>(resolve => void setImmediate(resolve))
      this.answered.add(name)
    })
  }

  #moment(name: string): void {
    if (!this.isWatching) return
    this.names.push(name)
    if (++this.moments === this.#at) this.#act()
  }
}
