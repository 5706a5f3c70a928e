import type { CouncilAnswers, CouncilResult } from '../../call/council-result.ts'
import { failureToJson } from '../../failure/json.ts'

/** A council's result as JSON. */
export function answersToJson<T>(
  result: CouncilAnswers<T> & Pick<CouncilResult<T, T>, 'aggregation'>,
  textOf: (value: T) => string,
): object {
  const { successes, failures, aborted, summary, costUsd, aggregation } = result
  return {
    successes: successes.map(({ member, value, attempts, costUsd: cost }) => ({
      member,
      answer: textOf(value),
      attempts,
      cost_usd: cost,
    })),
    failures: failures.map(({ member, class: cls, reason, attempts, costUsd: cost, failure }) => ({
      member,
      class: cls,
      reason,
      attempts,
      cost_usd: cost,
      failure: failureToJson(failure),
    })),
    aborted,
    cost_usd: costUsd,
    summary,
    ...(aggregation === undefined
      ? {}
      : {
          aggregation: aggregation.ok
            ? {
                ok: true,
                answer: textOf(aggregation.value),
                attempts: aggregation.attempts,
                cost_usd: aggregation.costUsd,
              }
            : { ok: false, failure: failureToJson(aggregation.failure) },
        }),
  }
}
