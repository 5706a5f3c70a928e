import type { DroppedLine } from './dropped-line.ts'

const NEWLINE = 0x0a

/** The longest line that is read, in bytes: far above what any tool answers, and below what ends a process. */
export const LONGEST_LINE_BYTES = 134_217_728

/** Bytes of the beginning and of the end of a dropped line that are kept. */
const KEPT_BYTES = 300

/**
 * Cuts a stream of bytes into lines, each with its newline: what is passed on is passed on as it came. A line that is too
 * long is dropped: `onTooLong` is called once, and `onDropped` at the end of the line, with its first and last bytes.
 */
export class LineReader {
  readonly #onLine: (line: Buffer) => void
  readonly #onTooLong: () => void
  readonly #onDropped: (line: DroppedLine) => void
  readonly #longestBytes: number
  #parts: Buffer[] = []
  #partBytes = 0
  #isDropping = false
  #head = Buffer.alloc(0)
  #tail = Buffer.alloc(0)

  constructor(
    onLine: (line: Buffer) => void,
    onTooLong: () => void = () => {},
    longestBytes = LONGEST_LINE_BYTES,
    onDropped: (line: DroppedLine) => void = () => {},
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
    if (isDropped && !wasTold) this.#keepHead(last)
    this.#parts = []
    this.#partBytes = 0
    this.#isDropping = false
    if (!isDropped) {
      this.#onLine(line)
      return
    }
    const tail = Buffer.concat([this.#tail, last]).subarray(-KEPT_BYTES)
    const head = this.#head
    this.#head = Buffer.alloc(0)
    this.#tail = Buffer.alloc(0)
    if (!wasTold) this.#onTooLong()
    this.#onDropped({ head, tail })
  }

  #keep(part: Buffer): void {
    if (this.#isDropping) {
      this.#tail = Buffer.concat([this.#tail, part]).subarray(-KEPT_BYTES)
      return
    }
    this.#partBytes += part.length
    if (this.#partBytes <= this.#longestBytes) {
      this.#parts.push(part)
      return
    }
    this.#keepHead(part)
    this.#parts = []
    this.#tail = Buffer.from(part.subarray(-KEPT_BYTES))
    this.#isDropping = true
    this.#onTooLong()
  }

  /** @param next comes after the parts that were kept so far */
  #keepHead(next: Buffer): void {
    // A part may be a single byte, so this many are enough.
    const parts = [...this.#parts.slice(0, KEPT_BYTES), next].map(part => part.subarray(0, KEPT_BYTES))
    this.#head = Buffer.concat(parts).subarray(0, KEPT_BYTES)
  }
}
