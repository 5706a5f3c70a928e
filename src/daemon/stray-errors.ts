import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { present } from '../failure/present.ts'
import { redact } from '../failure/redact.ts'
import { type CodeOwner, codeOwner, trackCodeOwner } from '../queue/code-owner.ts'
import type { Logger } from './log.ts'

/** An error is logged at these counts. */
const LOG_AT = [1, 10, 100, 1_000, 10_000, 100_000]

/** An uncaught error. */
export interface Stray {
  /** The operation whose code threw, if known. */
  whose: CodeOwner | undefined
  message: string
}

/**
 * Keeps uncaught errors of user code, such as a forgotten promise or a timer in a module, from ending the process and
 * hurting other operations. `process.exit` in such code throws, so its try fails and the process lives on.
 */
export class StrayErrors {
  /** Number of uncaught errors so far. */
  total = 0
  readonly #log: Logger
  readonly #onStray: (stray: Stray) => void
  readonly #counts = new Map<string, number>()
  readonly #exit = process.exit

  /** @param onStray called the first time for each distinct error; errors it throws are ignored */
  constructor(log: Logger, onStray: (stray: Stray) => void) {
    this.#log = log.child({ component: 'stray' })
    this.#onStray = onStray
  }

  /** Starts watching. Returns the function that stops it. */
  watch(): () => void {
    trackCodeOwner()
    const onError = (error: unknown) => this.#caught(error)
    process.on('uncaughtException', onError)
    process.on('unhandledRejection', onError)
    process.exit = code => {
      throw new Error(
        `process.exit(${code ?? ''}) was called inside the daemon; throw an error to fail the try, or stop the daemon with SIGTERM`,
      )
    }
    return () => {
      process.off('uncaughtException', onError)
      process.off('unhandledRejection', onError)
      process.exit = this.#exit
    }
  }

  #caught(error: unknown): void {
    this.total++
    const whose = codeOwner()
    const message = redact(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    const where = placeOf(error)
    const key = `${whose?.capability} ${where ?? ''} ${message}`
    const count = (this.#counts.get(key) ?? 0) + 1
    this.#counts.set(key, count)
    if (!LOG_AT.includes(count)) return
    const of = whose ? `in ${whose.operation} (${whose.capability})` : 'in unknown code'
    this.#log.error(
      {
        ...whose,
        stray_errors: this.total,
        count,
        ...present({ where }),
        error: message,
      },
      `uncaught error ${of}${where === undefined ? '' : `, at ${where}`}${count > 1 ? `, ${count} times so far` : ''}: ${message}`,
    )
    try {
      if (count === 1) this.#onStray({ whose, message })
    } catch {
      // An error of the listener must not end the process either.
    }
  }
}

const OWN = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** The first stack frame that belongs to user code. */
function placeOf(error: unknown): string | undefined {
  const stack = error instanceof Error && typeof error.stack === 'string' ? error.stack : ''
  for (const line of stack.split('\n').slice(1, 50)) {
    const place = /\(?((?:file:\/\/)?\/[^()]+:\d+):\d+\)?$/.exec(line)?.[1]
    if (place && !place.replace('file://', '').startsWith(`${OWN}/`)) return place
  }
  return undefined
}
