import { CodedError, type CodeMeanings, isCoded, MEANING, type OwnMeaning } from '../failure/own-error.ts'

const MEANINGS = {
  not_found: { kind: 'not_found', status: 404 },
  invalid: { kind: 'invalid_request', status: 400 },
  flips: { kind: 'conflict', class: 'permanent', status: 409 },
  too_long: { kind: 'request_too_large', status: 422 },
} as const satisfies CodeMeanings

/** Why a label was refused: `not_found`: no such unknown or label; `invalid`: the label contradicts itself; `flips`: it would make right classifications wrong; `too_long`: its backtest takes too long or too much memory. */
export type LabelErrorCode = keyof typeof MEANINGS

/** A label was refused; the message says why and how to fix it. */
export class LabelError extends CodedError<LabelErrorCode> {
  override name = 'LabelError'

  get [MEANING](): OwnMeaning {
    return MEANINGS[this.code]
  }
}

/** Whether an error is an {@link LabelError}, even one from another copy of this package. */
export function isLabelError(error: unknown): error is LabelError {
  return isCoded(error, 'LabelError')
}
