/** A request that the daemon refused or did not answer. The message says what to do. */
export class ApiProblem extends Error {
  /** HTTP status; 0 without an answer. */
  readonly status: number
  /** For programs, such as `read_only`. */
  readonly code: string
  /** With the code `may_repeat`: what may happen twice. */
  readonly why: string | undefined
  /** What is wrong with the request, each at its place, such as `body.params.url`. */
  readonly mistakes: readonly { at: string; message: string }[]

  constructor(
    status: number,
    code: string,
    message: string,
    { why, mistakes = [] }: { why?: string | undefined; mistakes?: ApiProblem['mistakes'] } = {},
  ) {
    super(message)
    this.why = why
    this.mistakes = mistakes
    this.status = status
    this.code = code
  }
}

/** Turns anything thrown into a problem. */
export function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error
  return new ApiProblem(0, 'no_answer', error instanceof Error ? error.message : String(error))
}
