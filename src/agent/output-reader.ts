import type { Cli } from './cli.ts'
import { followEvent } from './follow-event.ts'
import { LineSplitter } from './line-splitter.ts'
import type { RunProgress } from './run-progress.ts'

/** Reads what a CLI prints into the progress of its run. The output of an unknown program is not interpreted. */
export class OutputReader {
  readonly #cli: Cli
  readonly #progress: RunProgress
  readonly #onEvent: () => void
  readonly #stdout: LineSplitter
  readonly #stderr: LineSplitter

  /** @param onEvent called after each event */
  constructor(cli: Cli, progress: RunProgress, onEvent: () => void) {
    this.#cli = cli
    this.#progress = progress
    this.#onEvent = onEvent
    this.#stdout = new LineSplitter(
      line => this.#readLine(line),
      () => {
        progress.brokenLines++
      },
    )
    this.#stderr = new LineSplitter(line => cli.watchText?.(line, progress))
  }

  readonly push = (stream: 'stdout' | 'stderr', chunk: Buffer): void => {
    if (!this.#cli.profile) return
    if (stream === 'stdout') this.#stdout.push(chunk)
    else this.#stderr.push(chunk)
  }

  end(): void {
    this.#stdout.end()
    this.#stderr.end()
  }

  #readLine(line: string): void {
    if (!line.startsWith('{')) {
      if (line.trim() !== '') this.#progress.plainLines++
      this.#cli.watchText?.(line, this.#progress)
      return
    }
    let event: unknown
    try {
      event = JSON.parse(line)
    } catch {
      this.#progress.brokenLines++
      return
    }
    if (this.#cli.profile) followEvent(this.#cli.profile, event as object, this.#progress)
    this.#onEvent()
  }
}
