import { quote } from '../failure/quote.ts'
import { type Capability, isCapability } from './capability.ts'
import { CapabilityError } from './error.ts'

/** The capabilities of a process, by name. */
export class CapabilityRegistry {
  readonly #capabilities = new Map<string, { capability: Capability; from: string }>()

  constructor(capabilities: readonly Capability[] = []) {
    for (const capability of capabilities) this.add(capability)
  }

  /**
   * Throws a {@link CapabilityError} if the name is taken.
   * @param from where it was defined, for messages; default `code`
   */
  add(capability: Capability, from = 'code'): this {
    if (!isCapability(capability))
      throw new CapabilityError(
        `${quote(capability)} is not a capability: make one with defineCapability({ … })`,
      )
    const { name } = capability
    const other = this.#capabilities.get(name)
    if (other && other.capability !== capability)
      throw new CapabilityError(
        `capability ${quote(name)} is defined twice: in ${other.from} and in ${from}; give one of them another name`,
      )
    this.#capabilities.set(name, { capability, from })
    return this
  }

  /** The capability with this name; undefined if there is none here. */
  get(name: string): Capability | undefined {
    return this.#capabilities.get(name)?.capability
  }

  /** Whether there is a capability with this name. */
  has(name: string): boolean {
    return this.#capabilities.has(name)
  }

  /** Names of all capabilities, in alphabetical order: what a runner advertises. */
  get names(): string[] {
    return [...this.#capabilities.keys()].sort()
  }

  /** What a runner tells the engine when it claims: what it can run, with which leases, and how many at once. */
  get claims(): Claimable {
    const all = [...this]
    return {
      capabilities: this.names,
      leasesMs: given(all, ({ leaseMs }) => leaseMs),
      limits: { capabilities: given(all, ({ concurrency }) => concurrency) },
    }
  }

  /** How many there are. */
  get size(): number {
    return this.#capabilities.size
  }

  /** All capabilities, in the order they were added. */
  [Symbol.iterator](): IterableIterator<Capability> {
    return this.#capabilities
      .values()
      .map(({ capability }) => capability)
      [Symbol.iterator]()
  }
}

/** What a runner with these capabilities can claim. */
export interface Claimable {
  /** Names, in alphabetical order. */
  capabilities: string[]
  /** Leases that differ from the default, in milliseconds, by capability. */
  leasesMs: Record<string, number>
  /** How many may run at once, by capability. */
  limits: { capabilities: Record<string, number> }
}

function given(
  capabilities: readonly Capability[],
  of: (capability: Capability) => number | undefined,
): Record<string, number> {
  return Object.fromEntries(
    capabilities.flatMap(capability => {
      const value = of(capability)
      return value === undefined ? [] : [[capability.name, value] as const]
    }),
  )
}
