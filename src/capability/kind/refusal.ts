import type { Failure } from '../../failure/failure.ts'
import type { HttpAnswer } from './request.ts'

/** Statuses with which a server says that it did not take a request. */
export const REFUSING_STATUSES: readonly number[] = [
  401, 402, 403, 404, 405, 407, 410, 412, 413, 415, 421, 423, 425, 428, 429, 431, 451,
]

/**
 * Whether an answer proves that the server did nothing: by its status, a 503 that says when to come back, or what the
 * capability declares. Everything else must be proven by a documented code.
 */
export function isRefusal({ status, headers }: HttpAnswer, declared: readonly number[] = []): boolean {
  if (REFUSING_STATUSES.includes(status) || declared.includes(status)) return true
  return status === 503 && headers['retry-after'] !== undefined
}

/**
 * The failure of a request, with the effect that its answer proves.
 * @param isRefused undefined if only the failure is known
 */
export function withEffectOfAnswer(
  failure: Failure,
  isRefused: boolean | undefined = isRefusingStatus(failure),
  isDeclared = false,
): Failure {
  if (isDeclared) return failure.effect === 'none' ? failure : { ...failure, effect: 'none' }
  const isProven = isRefused || failure.evidence.speaker === 'typed'
  return failure.effect !== 'none' || isProven ? failure : { ...failure, effect: 'maybe' }
}

function isRefusingStatus({ status, retryAfterMs }: Failure): boolean {
  if (status === undefined) return true
  return REFUSING_STATUSES.includes(status) || (status === 503 && retryAfterMs !== undefined)
}
