import type { ProcessResult } from '../process/run.ts'
import type { HttpAnswer } from './kind/request.ts'

/** The same in all copies of this package. Nothing that was parsed has it, whatever it calls itself. */
const WORK_FAILED = Symbol.for('mulligan.work.failed')

/**
 * Work that ended with a failed process or a refusing answer. It has the fields of what it is made from, so `classify` reads it
 * as that, and the object itself as `input`.
 */
export class WorkFailed extends Error {
  override name = 'WorkFailed'
  /** How the process ended, or what the server answered. */
  readonly input: ProcessResult | HttpAnswer
  /** For an answer: whether it proves that nothing was done, by its status or because the capability declares so. */
  readonly refused: 'by status' | 'as declared' | undefined

  constructor(message: string, input: ProcessResult | HttpAnswer, refused?: WorkFailed['refused']) {
    super(message)
    this.refused = refused
    Object.defineProperty(this, 'refused', { enumerable: false })
    this.input = input
    // Not enumerable, because the other fields say the same.
    Object.defineProperty(this, 'input', { enumerable: false })
    Object.assign(this, input)
  }

  get [WORK_FAILED](): true {
    return true
  }
}

/** True for a {@link WorkFailed}, including one from another copy of this package. */
export function isWorkFailed(error: unknown): error is WorkFailed {
  return error instanceof Error && WORK_FAILED in error && 'input' in error
}
