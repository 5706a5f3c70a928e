/** An error with a code for programs and a message for people. */
export abstract class CodedError<Code extends string> extends Error {
  readonly code: Code

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/**
 * Whether it is an error with this name and a code. Checks the name, because another copy of this package has other
 * classes.
 */
export function isCoded(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name && 'code' in error
}
