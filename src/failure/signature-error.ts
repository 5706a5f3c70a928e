import { MEANING, type MeaningfulError, type OwnMeaning } from './own-error.ts'

/** A pattern that cannot be used. It stops start-up; the message names provider, pattern and reason. */
export class SignatureCompileError extends Error implements MeaningfulError {
  override name = 'SignatureCompileError'
  readonly code = 'SIGNATURE_COMPILE'
  readonly provider: string
  readonly pattern: string
  readonly reason: string

  constructor(provider: string, pattern: string, reason: string) {
    super(
      `provider ${JSON.stringify(provider)}: error signature ${JSON.stringify(pattern)} cannot be used: ${reason}`,
    )
    this.provider = provider
    this.pattern = pattern
    this.reason = reason
  }

  get [MEANING](): OwnMeaning {
    return { kind: 'config' }
  }
}
