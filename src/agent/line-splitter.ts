import { StringDecoder } from 'node:string_decoder'

/** The longest line that is kept: an answer may be long, but a flood must not fill the memory. */
const LONGEST_LINE = 8_388_608

/** Splits a stream of bytes into lines. Drops lines that are too long and calls `onLong`. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8')
  readonly #onLine: (line: string) => void
  readonly #onLong: () => void
  #parts: string[] = []
  #length = 0
  #isLong = false

  constructor(onLine: (line: string) => void, onLong: () => void = () => {}) {
    this.#onLine = onLine
    this.#onLong = onLong
  }

  push(chunk: Buffer): void {
    const text = this.#decoder.write(chunk)
    let from = 0
    for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
      this.#keep(text.slice(from, to))
      this.#flush()
      from = to + 1
    }
    this.#keep(text.slice(from))
  }

  /** Handles a last line without a line break. */
  end(): void {
    this.#keep(this.#decoder.end())
    this.#flush()
  }

  #keep(part: string): void {
    if (part === '' || this.#isLong) return
    this.#length += part.length
    if (this.#length <= LONGEST_LINE) {
      this.#parts.push(part)
      return
    }
    this.#isLong = true
    this.#parts = []
    this.#onLong()
  }

  #flush(): void {
    const line = this.#parts.join('')
    this.#parts = []
    this.#length = 0
    this.#isLong = false
    if (line !== '') this.#onLine(line)
  }
}
