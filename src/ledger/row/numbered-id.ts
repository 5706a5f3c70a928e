/** Ids that people can type: a word and a row number. */
export class NumberedIds {
  readonly #prefix: string

  constructor(word: string) {
    this.#prefix = `${word}_`
  }

  toId(number: number): string {
    return `${this.#prefix}${number}`
  }

  /** The number of an id; undefined if the id is invalid. */
  numberOf(id: string): number | undefined {
    const number = id.startsWith(this.#prefix) ? Number(id.slice(this.#prefix.length)) : Number.NaN
    return Number.isSafeInteger(number) && number > 0 && this.toId(number) === id ? number : undefined
  }
}
