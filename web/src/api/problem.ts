/** A request that the daemon refused or did not answer. The message says what to do. */
export class ApiProblem extends Error {
  /** HTTP status; 0 without an answer. */
  readonly status: number
  /** For programs, such as `read_only`. */
  readonly code: string
  /** With the code `may_repeat`: what may happen twice. */
  readonly why: string | undefined

  constructor(status: number, code: string, message: string, why?: string) {
    super(message)
    this.why = why
    this.status = status
    this.code = code
  }
}

/** Turns anything thrown into a problem. */
export function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error
  return new ApiProblem(0, 'no_answer', error instanceof Error ? error.message : String(error))
}
