import type { SucceededOperation } from '../ledger/operation.ts'
import type { Queue } from '../queue/queue.ts'
import type { KeptResult } from './progress.ts'

/** Maximum bytes of a step's result stored with its run, as JSON: 1 MiB. Only the beginning of a larger one is stored. */
export const STEP_RESULT_LIMIT_BYTES = 2 ** 20

/** The result of a step's operation, to store with the run, which may outlive the operation and its result file. */
export async function keptResult(
  queue: Queue,
  operation: string,
  { result, resultCut }: Pick<SucceededOperation, 'result' | 'resultCut'>,
): Promise<KeptResult> {
  if (resultCut !== true) return result === undefined ? {} : { result }
  const whole = await queue.result(operation)
  if (whole.state === 'succeeded' && whole.value !== result) {
    const text = JSON.stringify(whole.value)
    if (Buffer.byteLength(text) <= STEP_RESULT_LIMIT_BYTES) return { result: whole.value }
  }
  return { result, resultCut: true }
}
