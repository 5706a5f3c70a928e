/** Stands for all models together. */
const WHOLE = ''

/** What is known about a quota: as a whole, and about the models that a failure named. */
export class ByModel<T> {
  readonly #known = new Map<string, T>()
  readonly #make: (model: string | undefined) => T
  readonly #isUnnamed: (known: T) => boolean

  /** @param isUnnamed whether it came from a call that named no model, and so concerns other such calls */
  constructor(make: (model: string | undefined) => T, isUnnamed: (known: T) => boolean = () => false) {
    this.#make = make
    this.#isUnnamed = isUnnamed
  }

  get isEmpty(): boolean {
    return this.#known.size === 0
  }

  /** Made if it does not exist. */
  get(model: string | undefined): T {
    let known = this.#known.get(model ?? WHOLE)
    if (known === undefined) {
      known = this.#make(model)
      this.#known.set(model ?? WHOLE, known)
    }
    return known
  }

  /** @param model undefined for the whole quota */
  peek(model: string | undefined): T | undefined {
    return this.#known.get(model ?? WHOLE)
  }

  /** What concerns a call: of the whole quota, of its model, or, if it names no model, of other such calls. */
  concerning(model: string | undefined): T[] {
    if (model !== undefined)
      return [this.#known.get(WHOLE), this.#known.get(model)].filter(known => known !== undefined)
    return [...this.#known].flatMap(([of, known]) => (of === WHOLE || this.#isUnnamed(known) ? [known] : []))
  }

  values(): Iterable<T> {
    return this.#known.values()
  }

  *entries(): Iterable<[model: string | undefined, known: T]> {
    for (const [of, known] of this.#known) yield [of === WHOLE ? undefined : of, known]
  }

  clear(): void {
    this.#known.clear()
  }
}
