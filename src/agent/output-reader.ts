import type { Cli } from './cli.ts'
import { LineSplitter } from './line-splitter.ts'
import type { Reading } from './reading.ts'

/** Streams what a CLI prints into the reading. What a program prints of which nothing is known is not looked into. */
export class OutputReader {
  readonly #cli: Cli
  readonly #reading: Reading
  readonly #onEvent: () => void
  readonly #stdout: LineSplitter
  readonly #stderr: LineSplitter

  /** @param onEvent called after each event has been read */
  constructor(cli: Cli, reading: Reading, onEvent: () => void) {
    this.#cli = cli
    this.#reading = reading
    this.#onEvent = onEvent
    this.#stdout = new LineSplitter(
      line => this.#readLine(line),
      () => {
        reading.brokenLines++
      },
    )
    this.#stderr = new LineSplitter(line => cli.readText?.(line, reading))
  }

  readonly push = (stream: 'stdout' | 'stderr', chunk: Buffer): void => {
    if (this.#cli.name === 'command') return
    if (stream === 'stdout') this.#stdout.push(chunk)
    else this.#stderr.push(chunk)
  }

  end(): void {
    this.#stdout.end()
    this.#stderr.end()
  }

  #readLine(line: string): void {
    if (!line.startsWith('{')) {
      if (line.trim() !== '') this.#reading.plainLines++
      this.#cli.readText?.(line, this.#reading)
      return
    }
    let event: unknown
    try {
      event = JSON.parse(line)
    } catch {
      this.#reading.brokenLines++
      return
    }
    this.#cli.read(event as Readonly<Record<string, unknown>>, this.#reading)
    this.#onEvent()
  }
}
