import { MEANING, type MeaningfulError, type OwnMeaning } from '../failure/own-error.ts'

/** Nothing has this name. The message suggests the one probably meant, or lists all. */
export class UnknownName extends Error implements MeaningfulError {
  override name = 'UnknownName'

  get [MEANING](): OwnMeaning {
    return { kind: 'not_found', status: 404, code: 'missing' }
  }
}
