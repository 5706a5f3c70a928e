import type { SucceededOperation } from '../ledger/operation.ts'
import type { Queue } from '../queue/queue.ts'
import type { KeptResult } from './progress.ts'

/** Bytes of JSON of a step's result that are kept with its run: 1 MiB. Of a larger one only the beginning is. */
export const STEP_RESULT_LIMIT_BYTES = 2 ** 20

/** The result of a step's operation as it is kept with the run, which may outlive the operation and its file. */
export async function keptResult(queue: Queue, operation: SucceededOperation): Promise<KeptResult> {
  const { result, resultCut } = operation
  if (resultCut !== true) return result === undefined ? {} : { result }
  const whole = await queue.result(operation.id)
  if (whole.state === 'succeeded' && whole.value !== result) {
    const text = JSON.stringify(whole.value)
    if (Buffer.byteLength(text) <= STEP_RESULT_LIMIT_BYTES) return { result: whole.value }
  }
  return { result, resultCut: true }
}
