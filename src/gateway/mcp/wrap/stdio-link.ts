import { type ProcessPipes, type ProcessResult, run } from '../../../process/run.ts'
import { realTime, type Time } from '../../../time/time.ts'
import { idOfDroppedAnswer } from '../dropped-line.ts'
import { readBatch, readMessage } from '../json-rpc.ts'
import { LineReader } from '../lines.ts'
import type { Link, LinkEnd, LinkListener, OpenLink } from './link.ts'
import { NoAnswer, tooLong } from './no-answer.ts'

/** A server that is a program and speaks over its stdin and stdout. */
export interface StdioTarget {
  argv: readonly [string, ...string[]]
  cwd: string
  /** Whole environment of the program. */
  env: Readonly<Record<string, string | undefined>>
}

/** Time that a server has to end by itself once its stdin is closed, in milliseconds. */
const LEAVE_MS = 400
/** Time between SIGTERM and SIGKILL: with the time above, less than two seconds. */
const KILL_GRACE_MS = 1_000
/** Of stderr only the end is kept, to say why a server died. */
const KEPT_BYTES = 8_192

/**
 * Starts a program as a server.
 * @param onStderr receives its stderr
 */
export function stdioLink(
  { argv, cwd, env }: StdioTarget,
  onStderr: (chunk: Buffer) => void,
  time: Time = realTime,
): OpenLink {
  return listener => new StdioLink({ argv, cwd, env }, listener, onStderr, time)
}

class StdioLink implements Link {
  readonly #listener: LinkListener
  readonly #time: Time
  readonly #kill = new AbortController()
  readonly #ended: Promise<void>
  readonly #lastWords: Buffer[] = []
  #lastBytes = 0
  #pipes: ProcessPipes | undefined
  #isClosed = false
  #hasEnded = false

  constructor(
    { argv, cwd, env }: StdioTarget,
    listener: LinkListener,
    onStderr: (chunk: Buffer) => void,
    time: Time,
  ) {
    this.#listener = listener
    this.#time = time
    const lines = new LineReader(
      line => this.#read(line),
      () => listener.onNoise('it printed a line on stdout that is longer than any message may be', ''),
      undefined,
      dropped => {
        const id = idOfDroppedAnswer(dropped)
        if (id !== undefined) listener.onLost(id, tooLong())
      },
    )
    this.#ended = run({
      argv,
      cwd,
      env: { ...env },
      onStart: pipes => {
        this.#pipes = pipes
      },
      onOutput: (stream, chunk) => {
        if (stream === 'stdout') lines.push(chunk)
        else {
          this.#remember(chunk)
          onStderr(chunk)
        }
      },
      keep: { headBytes: 0, tailBytes: KEPT_BYTES },
      killGraceMs: KILL_GRACE_MS,
      signal: this.#kill.signal,
      time,
    }).then(
      result => this.#end({ how: 'exited', result }),
      error => this.#end({ how: 'failed', error }),
    )
  }

  get lastWords(): string {
    return Buffer.concat(this.#lastWords).toString('utf8')
  }

  send(line: Buffer): Promise<void> {
    const stdin = this.#pipes?.stdin
    if (!stdin || this.#hasEnded || stdin.destroyed || stdin.writableEnded)
      return Promise.reject(new Error('Not connected'))
    return new Promise((resolve, reject) => {
      // A line that was written only in part is not a message for the server.
      stdin.write(line, error => (error ? reject(error) : resolve()))
    })
  }

  abandon(): void {}

  agreed(): void {}

  flow(isOpen: boolean): void {
    if (isOpen) this.#pipes?.stdout.resume()
    else this.#pipes?.stdout.pause()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return this.#ended
    this.#isClosed = true
    this.#pipes?.stdin.end()
    const cancel = this.#time.after(LEAVE_MS, () => this.#kill.abort())
    await this.#ended
    cancel()
  }

  #read(line: Buffer): void {
    const message = readMessage(line)
    if (message.type !== 'invalid') {
      this.#listener.onMessage(line, message)
      return
    }
    const batch = readBatch(message, line)
    if (batch) {
      for (const each of batch) this.#listener.onMessage(each.line, each.message)
      return
    }
    if (line.length <= 1 || line.toString('utf8').trim() === '') return
    const what = message.isGarbage ? 'JSON' : `message (${message.problem})`
    this.#listener.onNoise(
      `it printed something on stdout that is no ${what}`,
      line.toString('utf8', 0, 200).trim(),
    )
    // Whoever waits for this answer need not wait any longer.
    if (message.isAnswer && message.id !== undefined)
      this.#listener.onLost(
        message.id,
        new NoAnswer(`sent an answer that is no message (${message.problem})`),
      )
  }

  #remember(chunk: Buffer): void {
    this.#lastWords.push(chunk)
    this.#lastBytes += chunk.length
    while (this.#lastBytes - (this.#lastWords[0] as Buffer).length >= KEPT_BYTES)
      this.#lastBytes -= (this.#lastWords.shift() as Buffer).length
  }

  #end(end: LinkEnd): void {
    this.#hasEnded = true
    this.#listener.onEnd(this.#isClosed ? { how: 'closed' } : end)
  }
}

/** How a server ended, for messages. */
export function exitInWords({ exitCode, signal }: Pick<ProcessResult, 'exitCode' | 'signal'>): string {
  return exitCode === null ? `was ended by ${signal}` : `exited with code ${exitCode}`
}
