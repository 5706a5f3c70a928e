import type { ProcessResult } from '../process/run.ts'
import type { HttpAnswer } from './kind/request.ts'

/**
 * Work that ended with a failed process or a refusing answer. It carries the fields of what it is made from, so that
 * `classify` reads it as that, and the thing itself as `input`.
 */
export class WorkFailed extends Error {
  override name = 'WorkFailed'
  /** How the process ended, or what the server answered. */
  readonly input: ProcessResult | HttpAnswer

  constructor(message: string, input: ProcessResult | HttpAnswer) {
    super(message)
    this.input = input
    // Not enumerable: the fields beside it say the same.
    Object.defineProperty(this, 'input', { enumerable: false })
    Object.assign(this, input)
  }
}

/** True for a {@link WorkFailed}, also one from another copy of this package. */
export function isWorkFailed(error: unknown): error is WorkFailed {
  return error instanceof Error && error.name === 'WorkFailed' && 'input' in error
}
