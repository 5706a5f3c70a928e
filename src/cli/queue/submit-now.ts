import { hideSecrets } from '../../capability/secret/hide-secrets.ts'
import { present } from '../../failure/present.ts'
import { isQueueError } from '../../queue/error.ts'
import type { RunNowOptions } from '../../queue/run-now.ts'
import type { RanNow } from '../../queue/run-result.ts'
import { runWithin } from '../../queue/run-within.ts'
import type { SubmitOptions } from '../../queue/submission.ts'
import { realTime } from '../../time/time.ts'
import { UsageError } from '../flag/arguments.ts'
import { type ParamsFlags, paramsOf } from '../flag/params.ts'
import { printAnswer } from '../print/print-answer.ts'
import { printJson } from '../print/print-json.ts'
import { runHere } from '../run/run-here.ts'
import { withActingQueue } from '../runtime/queue-runtime.ts'
import type { RuntimeFlags } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'
import { resultText } from './await-operation.ts'

/** An operation to run now. */
export interface SubmittedNow {
  capability: string
  /** Options of the submission. */
  options: Omit<SubmitOptions, 'at' | 'unchecked'>
  /** Time limit for tries and waits here, in milliseconds. Default: no try is ended. */
  budgetMs: number | undefined
  flags: RuntimeFlags & ParamsFlags & { json?: boolean | undefined }
}

/** Runs a capability now, here or on a runner that has it, and queues it if it cannot work now. */
export function submitNow(
  { capability, options: submitOptions, budgetMs, flags }: SubmittedNow,
  terminal: Terminal,
): Promise<number> {
  const json = flags.json === true
  return withActingQueue(flags, terminal, async runtime => {
    const { queue, loaded } = runtime
    const known = queue.registry.get(capability)
    const { params } = await paramsOf(flags, known, terminal)
    // A capability of another process runs there: we only wait, and cannot end or cancel a try.
    const run = (options: RunNowOptions) =>
      known
        ? queue.run(capability, params, { ...submitOptions, ...options })
        : runWithin(queue, capability, params, {
            ...submitOptions,
            waitMs: budgetMs ?? loaded.config.queue.budgetMs,
            time: realTime,
            ...present({ signal: options.signal }),
          })
    const printDone = ({ value, operationId }: RanNow) => {
      const shown = hideSecrets(value ?? null, known)
      if (json) printJson(terminal, { ok: true, operation_id: operationId, result: shown })
      else if (value !== undefined && value !== null) printAnswer(terminal, resultText(value))
    }
    try {
      return await runHere({ command: 'submit', budgetMs, json, run, printDone }, runtime, terminal)
    } catch (error) {
      const isUsage = isQueueError(error) && ['invalid_params', 'unknown_capability'].includes(error.code)
      throw isUsage ? new UsageError(error.message) : error
    }
  })
}
