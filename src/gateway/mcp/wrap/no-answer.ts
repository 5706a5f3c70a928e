import { MEANING, type MeaningfulError, type OwnMeaning } from '../../../failure/own-error.ts'

/** Why there is no answer, for the classifier: it was unreadable, cut short, or too long. */
type Kind = 'bad_json' | 'stream_cut' | 'output_limit'

/**
 * A server took a request, and what it sent back is not the answer: the request may have been carried out. The message
 * follows the name of the server.
 */
export class NoAnswer extends Error implements MeaningfulError {
  override name = 'NoAnswer'
  readonly kind: Kind

  constructor(message: string, kind: Kind = 'bad_json') {
    super(message)
    this.kind = kind
  }

  get [MEANING](): OwnMeaning {
    return { kind: this.kind, effect: 'maybe' }
  }
}

/** For an answer that exceeds the longest message. */
export function tooLong(): NoAnswer {
  return new NoAnswer('sent an answer that is longer than any message may be', 'output_limit')
}
