/** Number of a word that no phrase uses. */
export const UNKNOWN = 0
/** Number of every run of digits. */
export const NUMBER = 1

/** A text cut into words: where each stands, and its number in the vocabulary. */
export class Tokens {
  readonly text: string
  count = 0
  ids: Int32Array
  starts: Int32Array
  ends: Int32Array
  /** 1 where a sentence ended between this word and the one before it. */
  breaks: Uint8Array

  constructor(text: string) {
    this.text = text
    const room = Math.max(16, text.length >> 2)
    this.ids = new Int32Array(room)
    this.starts = new Int32Array(room)
    this.ends = new Int32Array(room)
    this.breaks = new Uint8Array(room)
  }

  push(id: number, start: number, end: number, broken: number): void {
    if (this.count === this.ids.length) this.#grow()
    const at = this.count++
    this.ids[at] = id
    this.starts[at] = start
    this.ends[at] = end
    this.breaks[at] = broken
  }

  word(index: number): string {
    return this.text.slice(this.starts[index], this.ends[index])
  }

  #grow(): void {
    const room = this.ids.length * 2
    this.ids = copied(new Int32Array(room), this.ids)
    this.starts = copied(new Int32Array(room), this.starts)
    this.ends = copied(new Int32Array(room), this.ends)
    this.breaks = copied(new Uint8Array(room), this.breaks)
  }
}

function copied<T extends Int32Array | Uint8Array>(to: T, from: T): T {
  to.set(from)
  return to
}
