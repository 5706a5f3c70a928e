import { MEANING, type MeaningfulError, type OwnMeaning } from '../../../failure/own-error.ts'

/** A queued call was answered with a question, which only a client that waits can answer. Servers ask before they act. */
export class NeedsInput extends Error implements MeaningfulError {
  override name = 'NeedsInput'

  constructor(tool: string) {
    super(`${tool} asks for input, which a queued call cannot give; call it again to answer`)
  }

  get [MEANING](): OwnMeaning {
    return { kind: 'invalid_request', class: 'permanent', effect: 'none' }
  }
}
