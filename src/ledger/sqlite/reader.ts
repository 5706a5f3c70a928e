import { Worker } from 'node:worker_threads'
import { LedgerError, type LedgerErrorCode } from '../error.ts'
import { openForReading } from './connection.ts'
import type { LongReads, ReaderRequest } from './reader-requests.ts'
import { SameThreadReader } from './reader-requests.ts'
import { threadCode } from './thread-code.ts'

/** The result of the request with this number. */
export interface ReaderAnswer {
  id: number
  value?: unknown
  error?: { code: LedgerErrorCode; message: string }
}

interface Pending {
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
}

/** Sends slow reads to a thread, which starts with the first of them and does not keep the process alive. */
export class ThreadReader implements LongReads {
  readonly #file: string
  #worker: Worker | undefined
  #own: LongReads | undefined
  #pending = new Map<number, Pending>()
  #nextId = 0

  constructor(file: string) {
    this.#file = file
  }

  ask(request: ReaderRequest): Promise<unknown> {
    const worker = this.#start()
    if (!worker) return this.#ownReader().ask(request)
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      // The process must stay alive while a caller waits for an answer.
      worker.ref()
      worker.postMessage({ ...request, id })
    })
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
    this.#worker = undefined
    await this.#own?.close()
    this.#own = undefined
  }

  /** Without a thread: a second connection on this thread, which blocks while it reads. */
  #ownReader(): LongReads {
    this.#own ??= new SameThreadReader(openForReading(this.#file), { closes: true })
    return this.#own
  }

  #start(): Worker | undefined {
    if (this.#worker) return this.#worker
    const thread = threadCode()
    if (!thread) return undefined
    const worker = new Worker(thread.code, {
      eval: thread.isText,
      workerData: { file: this.#file },
      // The thread needs no options of the process, and refuses some (`--input-type`).
      execArgv: [],
    })
    worker.unref()
    worker.on('message', ({ id, value, error }: ReaderAnswer) => {
      const pending = this.#pending.get(id)
      this.#pending.delete(id)
      if (this.#pending.size === 0) worker.unref()
      if (error) pending?.reject(new LedgerError(error.code, error.message))
      else pending?.resolve(value)
    })
    worker.on('error', error => this.#fail(error))
    worker.on('exit', () => this.#fail(new LedgerError('closed', `the ledger ${this.#file} is closed`)))
    this.#worker = worker
    return worker
  }

  /** The thread is gone: waiting callers get an error, and the next request starts another. */
  #fail(error: unknown): void {
    this.#worker = undefined
    const pending = [...this.#pending.values()]
    this.#pending.clear()
    const told =
      error instanceof LedgerError
        ? error
        : new LedgerError('io', `the reader thread of ${this.#file} ended: ${error}`, { cause: error })
    for (const { reject } of pending) reject(told)
  }
}
