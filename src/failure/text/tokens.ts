/** The number of any word that no phrase uses. */
export const UNKNOWN = 0
/** The number of any run of digits. */
export const NUMBER = 1

const ROOM = 256

/** A text split into words: each word's position and its number in the vocabulary. Reused for one text after another. */
export class Tokens {
  text = ''
  count = 0
  ids = new Int32Array(ROOM)
  starts = new Int32Array(ROOM)
  ends = new Int32Array(ROOM)
  /** 1 if a sentence ended between this word and the one before it. */
  breaks = new Uint8Array(ROOM)

  begin(text: string): void {
    this.text = text
    this.count = 0
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
