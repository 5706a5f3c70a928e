const NEWLINE = 0x0a

/** The longest line that is read, in bytes: far above what any tool answers, and below what ends a process. */
export const LONGEST_LINE_BYTES = 134_217_728

/** Bytes of the end of a dropped line that are told. */
const TAIL_BYTES = 300

/**
 * Cuts a stream of bytes into lines, each with its newline: what is passed on is passed on as it came. A line that is too
 * long is dropped up to its end, and `onTooLong` is told once; `onDropped` hears of its end, with the last bytes of it.
 */
export class LineReader {
  readonly #onLine: (line: Buffer) => void
  readonly #onTooLong: () => void
  readonly #onDropped: (tail: Buffer) => void
  readonly #longestBytes: number
  #parts: Buffer[] = []
  #partBytes = 0
  #isDropping = false
  #tail = Buffer.alloc(0)

  constructor(
    onLine: (line: Buffer) => void,
    onTooLong: () => void = () => {},
    longestBytes = LONGEST_LINE_BYTES,
    onDropped: (tail: Buffer) => void = () => {},
  ) {
    this.#onLine = onLine
    this.#onTooLong = onTooLong
    this.#longestBytes = longestBytes
    this.#onDropped = onDropped
  }

  push(chunk: Buffer): void {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start)
      if (end === -1) break
      this.#end(chunk.subarray(start, end + 1))
      start = end + 1
    }
    if (start < chunk.length) this.#keep(start === 0 ? chunk : chunk.subarray(start))
  }

  #end(last: Buffer): void {
    const isDropped = this.#isDropping || this.#partBytes + last.length > this.#longestBytes
    const line = this.#parts.length === 0 ? last : isDropped ? last : Buffer.concat([...this.#parts, last])
    const wasTold = this.#isDropping
    this.#parts = []
    this.#partBytes = 0
    this.#isDropping = false
    if (!isDropped) {
      this.#onLine(line)
      return
    }
    const tail = Buffer.concat([this.#tail, last]).subarray(-TAIL_BYTES)
    this.#tail = Buffer.alloc(0)
    if (!wasTold) this.#onTooLong()
    this.#onDropped(tail)
  }

  #keep(part: Buffer): void {
    if (this.#isDropping) {
      this.#tail = Buffer.concat([this.#tail, part]).subarray(-TAIL_BYTES)
      return
    }
    this.#partBytes += part.length
    if (this.#partBytes <= this.#longestBytes) {
      this.#parts.push(part)
      return
    }
    this.#parts = []
    this.#tail = Buffer.from(part.subarray(-TAIL_BYTES))
    this.#isDropping = true
    this.#onTooLong()
  }
}
