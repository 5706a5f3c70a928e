import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { ConfigError } from '../config/error.ts'
import { quietly } from '../time/clean-up.ts'
import { orAborted } from '../time/or-aborted.ts'
import type { Time } from '../time/time.ts'
import { Backtest, type BacktestReport, commonCases } from './backtest.ts'
import type { ThreadAnswer, ThreadWork } from './backtest-thread.ts'
import { LabelError } from './label-error.ts'
import type { RecordedFailure } from './recorded-failures.ts'
import { type ReadSignatures, readWritten, type WrittenSignatures } from './written-signatures.ts'

/** How long a backtest may take, and who can end it. */
export interface BacktestBounds {
  time: Time
  /** Ends it, as when the client goes away. */
  signal: AbortSignal
  /** Longest backtest. Default 30 s; Infinity: none, and it runs on this thread. */
  limitMs?: number | undefined
}

/** Signatures that were read, and what they would change. */
export interface Tried {
  signatures: ReadSignatures
  report: BacktestReport
}

const LIMIT_MS = 30_000
/** Most memory of the thread; what needs more is ended, not the process. */
const MOST_MEMORY_MB = 768
/** Failures that the thread is sent at once, so that few of them are in memory. */
const BATCH = 100
/** So few patterns, or so few characters, are tried here, between other work: that takes less than starting a thread. */
const FEW = 4
const SHORT = 1_000

/**
 * Tries signatures on failures on a thread of its own, so that the process goes on meanwhile. Throws an `LabelError`
 * if it takes too long or too much memory, and the signal's reason if that aborts.
 */
export async function boundedBacktest(
  written: WrittenSignatures,
  failures: AsyncIterable<RecordedFailure>,
  { time, signal, limitMs = LIMIT_MS }: BacktestBounds,
): Promise<Tried> {
  signal.throwIfAborted()
  const limit = new AbortController()
  let tried = 0
  const cancel = time.after(limitMs, () => {
    const so = tried === 0 ? '' : `, having tried ${tried} recorded failures`
    limit.abort(
      new LabelError('too_long', `the backtest did not end within ${limitMs / 1000} s${so}; ${FEWER}`),
    )
  })
  const ends = AbortSignal.any([signal, limit.signal])
  const count = (number: number) => {
    tried += number
  }
  try {
    const isFew = written.form === 'list' ? written.signatures.length <= FEW : written.text.length <= SHORT
    const program = isFew || limitMs === Number.POSITIVE_INFINITY ? undefined : threadProgram()
    return await (program
      ? onThread(program, written, failures, ends, count)
      : here(written, failures, ends, count))
  } finally {
    cancel()
  }
}

const FEWER = 'try fewer or simpler patterns at once, or without a limit: mulligan backtest FILE'

async function onThread(
  program: URL,
  written: WrittenSignatures,
  failures: AsyncIterable<RecordedFailure>,
  ends: AbortSignal,
  count: (tried: number) => void,
): Promise<Tried> {
  const worker = new Worker(program, {
    workerData: written,
    // The thread needs no options of the process, and refuses some (`--input-type`).
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
  })
  const gone = new Promise<never>((_resolve, reject) => {
    worker.on('error', reject)
    worker.on('exit', code => reject(new Error(`the thread of the backtest ended with code ${code}`)))
  })
  gone.catch(() => {})
  const next = async () => {
    const [answer] = await Promise.race([once(worker, 'message', { signal: ends }), gone])
    return answer as ThreadAnswer
  }
  const send = (work: ThreadWork) => {
    const answered = next()
    worker.postMessage(work)
    return answered
  }
  try {
    const read = await next()
    if ('mistakes' in read) throw new ConfigError(read.file, read.mistakes)
    const { signatures } = read as Extract<ThreadAnswer, { signatures: unknown }>
    for await (const batch of inBatches(failures, ends)) {
      await send({ failures: batch })
      count(batch.length)
    }
    const { report } = (await send('end')) as Extract<ThreadAnswer, { report: unknown }>
    return { signatures, report }
  } catch (error) {
    ends.throwIfAborted()
    throw (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? new LabelError('too_long', `the backtest needs more than ${MOST_MEMORY_MB} MB; ${FEWER}`)
      : error
  } finally {
    await quietly(() => worker.terminate())
  }
}

/** On this thread, after everything else that waits, such as a renewal of leases. */
async function here(
  written: WrittenSignatures,
  failures: AsyncIterable<RecordedFailure>,
  ends: AbortSignal,
  count: (tried: number) => void,
): Promise<Tried> {
  const signatures = readWritten(written)
  const backtest = new Backtest(signatures, { common: false })
  for (const common of commonCases()) {
    await turn(ends)
    backtest.add(common)
  }
  for await (const batch of inBatches(failures, ends)) {
    for (const recorded of batch) {
      await turn(ends)
      backtest.add(recorded)
      count(1)
    }
  }
  return { signatures, report: backtest.report }
}

async function* inBatches(
  failures: AsyncIterable<RecordedFailure>,
  ends: AbortSignal,
): AsyncGenerator<RecordedFailure[]> {
  const iterator = failures[Symbol.asyncIterator]()
  for (let isDone = false; !isDone; ) {
    const batch: RecordedFailure[] = []
    while (!isDone && batch.length < BATCH) {
      const next = await orAborted(iterator.next(), ends)
      if (next.done) isDone = true
      else batch.push(next.value)
    }
    yield batch
  }
}

async function turn(ends: AbortSignal): Promise<void> {
  await new Promise(resolve => void setImmediate(resolve))
  ends.throwIfAborted()
}

/** The thread's program: the source in a clone, the build in the package. None in a user's bundle. */
function threadProgram(): URL | undefined {
  const here: string | undefined = import.meta.url
  if (!here?.startsWith('file:')) return undefined
  const places = here.endsWith('.ts')
    ? ['backtest-thread.ts']
    : ['../unknown/backtest-thread.js', 'unknown/backtest-thread.js']
  return places.map(place => new URL(place, here)).find(url => existsSync(url))
}
