/** An error that programs tell apart by its code, and people by its message. */
export abstract class CodedError<Code extends string> extends Error {
  readonly code: Code

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Whether it is an error of this name with a code. By name, because another copy of this package has other classes. */
export function isCoded(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name && 'code' in error
}
