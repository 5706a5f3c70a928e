/** How many bytes of each stream to keep: the start names the program, the end the failure. */
export const HEAD_BYTES_DEFAULT = 65_536
export const TAIL_BYTES_DEFAULT = 262_144

/** Keeps the head and the tail of a stream of any length in bounded memory. */
export class BoundedOutput {
  readonly #headLimit: number
  readonly #tailLimit: number
  readonly #head: Buffer[] = []
  #headBytes = 0
  #tail: Buffer[] = []
  #tailBytes = 0
  /** All bytes received, kept or not. */
  totalBytes = 0

  constructor({ headBytes = HEAD_BYTES_DEFAULT, tailBytes = TAIL_BYTES_DEFAULT } = {}) {
    this.#headLimit = headBytes
    this.#tailLimit = tailBytes
  }

  push(chunk: Buffer): void {
    this.totalBytes += chunk.length
    const room = this.#headLimit - this.#headBytes
    if (room > 0) {
      const head = chunk.subarray(0, room)
      this.#head.push(head)
      this.#headBytes += head.length
    }
    const rest = room > 0 ? chunk.subarray(room) : chunk
    if (rest.length === 0) return
    this.#tail.push(rest)
    this.#tailBytes += rest.length
    // Drops whole chunks, so it holds at most one chunk more than the limit.
    while (this.#tailBytes - (this.#tail[0] as Buffer).length >= this.#tailLimit) {
      this.#tailBytes -= (this.#tail.shift() as Buffer).length
    }
  }

  /** True if bytes between head and tail were dropped. */
  get isCut(): boolean {
    return this.totalBytes > this.#headBytes + this.#tailBytes
  }

  /** Head and tail as text, with a line that says how many bytes were dropped. */
  toString(): string {
    const head = Buffer.concat(this.#head)
    const tail = Buffer.concat(this.#tail)
    if (!this.isCut) return Buffer.concat([head, tail]).toString('utf8')
    const dropped = this.totalBytes - this.#headBytes - this.#tailBytes
    return `${head.toString('utf8')}\n[${dropped} bytes left out]\n${tail.toString('utf8')}`
  }
}
