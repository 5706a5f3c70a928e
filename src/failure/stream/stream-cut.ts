import { MEANING, type MeaningfulError, type OwnMeaning } from '../own-error.ts'

/** A stream that ended as if it were complete, although its answer is not. */
export class StreamCut extends Error implements MeaningfulError {
  override name = 'StreamCut'

  get [MEANING](): OwnMeaning {
    return { kind: 'stream_cut', effect: 'maybe' }
  }
}

/** A client made a result from something that was no answer. */
export class NoAnswer extends Error implements MeaningfulError {
  override name = 'NoAnswer'

  get [MEANING](): OwnMeaning {
    return { kind: 'bad_json', effect: 'maybe' }
  }
}
