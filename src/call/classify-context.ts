import type { ClassifyContext } from '../failure/context.ts'
import type { CallOptions } from './options.ts'
import { warnOfPolicy } from './warn.ts'

/** What the classifier is told about a failure of a call. */
export function classifyContextOf(
  { classify, classifier, model, onPolicyProblem = warnOfPolicy }: CallOptions,
  now: number,
  provider: string | undefined,
): ClassifyContext {
  return {
    ...classify,
    ...(classifier
      ? {
          classifier,
          onClassifierProblem: ({ classifier: policy, problem }) =>
            onPolicyProblem({ policy, member: 'classifier', problem }),
        }
      : {}),
    now,
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
  }
}
