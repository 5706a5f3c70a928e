import { isEnded } from '../ledger/operation.ts'
import type { Time } from '../time/time.ts'
import { QueueError } from './error.ts'
import { checkCapabilityName } from './known-capability.ts'
import type { Queue } from './queue.ts'
import type { RunNowOptions } from './run-now.ts'
import type { RunResult } from './run-result.ts'

/** Options for running an operation for a caller who does not wait long. */
export interface RunWithinOptions extends Omit<RunNowOptions, 'budgetMs' | 'waitHereMs' | 'release'> {
  /** How long the caller waits, in milliseconds. */
  waitMs: number
  /** Whether this process may run it, if it has the capability. Default true. */
  here?: boolean
  /** Abort ends the wait; the operation continues. */
  signal?: AbortSignal
  time: Pick<Time, 'after' | 'now'>
}

/**
 * Runs a capability in this process, or on a runner that has it, and reports its state after `waitMs`. Aborts no try: a running
 * try continues, and a longer wait is handed over. Rejects with `OperationFailed` if the verdict is final, and with a
 * {@link QueueError} if neither this process nor a live runner has the capability.
 */
export async function runWithin<R = unknown>(
  queue: Queue,
  capability: string,
  params: unknown,
  options: RunWithinOptions,
): Promise<RunResult<R>> {
  const { waitMs, signal, time, hearBy, here = true } = options
  const over = new AbortController()
  const cancel = time.after(waitMs, () => over.abort())
  const ends = signal ? AbortSignal.any([signal, over.signal]) : over.signal
  try {
    const begun =
      here && queue.registry.has(capability)
        ? runHere<R>(queue, capability, params, options)
        : runElsewhere<R>(queue, capability, params, options, ends)
    const id = await begun.id
    const first = await Promise.race([begun.result, aborted(ends)])
    return first ?? (await queue.standing<R>(id, hearBy ? { hearBy } : {}))
  } finally {
    cancel()
  }
}

interface Beginning<R> {
  /** Resolves once it is stored. */
  id: Promise<string>
  /** Undefined if only the ledger knows. */
  result: Promise<RunResult<R> | undefined>
}

function runHere<R>(
  queue: Queue,
  capability: string,
  params: unknown,
  { waitMs, signal: _signal, time: _time, here: _here, onBegun, ...options }: RunWithinOptions,
): Beginning<R> {
  const { promise: id, resolve, reject } = Promise.withResolvers<string>()
  const result = queue.run<R>(capability, params, {
    ...options,
    budgetMs: Infinity,
    waitHereMs: waitMs,
    onBegun: begun => {
      onBegun?.(begun)
      resolve(begun)
    },
  })
  // A caller who no longer waits reads the result from the ledger.
  result.catch(reject)
  return { id, result }
}

function runElsewhere<R>(
  queue: Queue,
  capability: string,
  params: unknown,
  options: RunWithinOptions,
  ends: AbortSignal,
): Beginning<R> {
  const { time, waitMs } = options
  const id = submitElsewhere(queue, capability, params, options)
  const until = time.now() + waitMs
  const result = id.then(submitted => nothingToWaitFor(queue, submitted, until, ends))
  result.catch(() => {})
  return { id, result }
}

async function submitElsewhere(
  queue: Queue,
  capability: string,
  params: unknown,
  options: RunWithinOptions,
): Promise<string> {
  const { waitMs: _waitMs, signal: _signal, time: _time, here: _here, hearBy: _hearBy, ...rest } = options
  const { onEvent: _onEvent, onSpent: _onSpent, onBegun, ...kept } = rest
  const isKnown = queue.registry.has(capability)
  if (!isKnown && !(await queue.hasRunner(capability))) {
    await checkCapabilityName(queue, capability)
    throw new QueueError(
      'unknown_capability',
      `neither this process nor a live runner has the capability ${JSON.stringify(capability)}`,
    )
  }
  const { id } = await queue.submit(capability, params, { source: 'run', ...kept, unchecked: !isKnown })
  onBegun?.(id)
  return id
}

/** Resolves when it has ended, when it must wait longer than its caller, or when the wait is over. */
async function nothingToWaitFor(
  { ledger }: Queue,
  id: string,
  until: number,
  ends: AbortSignal,
): Promise<undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  const look = async () => {
    const operation = await ledger.get(id)
    if (!operation || isEnded(operation) || operation.state === 'parked') resolve(undefined)
    else if (operation.state === 'scheduled' && operation.run > 0 && operation.dueAt > until)
      resolve(undefined)
  }
  const stop = ledger.onChange(() => void look().catch(reject))
  void look().catch(reject)
  try {
    return await Promise.race([promise, aborted(ends)])
  } finally {
    stop()
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise(resolve => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}
