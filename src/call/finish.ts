import { classify } from '../failure/classify.ts'
import type { ClassifyContext } from '../failure/context.ts'
import type { Failure } from '../failure/failure.ts'
import { isObject, isPlain } from '../failure/observe/read.ts'
import { finishOf, isNoAnswer } from '../failure/stream/answer.ts'
import type { Finish } from '../failure/stream/finish.ts'
import { NoAnswer } from '../failure/stream/stream-cut.ts'
import type { AttemptFailure } from './attempt/failure.ts'
import type { Outcome } from './attempt/outcome.ts'
import type { CallOptions } from './options.ts'

/**
 * What is special about a returned answer. Runs on every call: plain data that reads like a success was read for that already,
 * so only what reads like a failure, and objects of a client's own class, are looked at. What the caller's classifier calls a
 * failure is one.
 */
export function finishOfReturned(
  outcome: Outcome,
  failed: AttemptFailure | undefined,
  { finishOf: given }: Pick<CallOptions, 'finishOf'>,
): Finish | undefined {
  if (outcome.ended !== 'returned') return undefined
  const { value } = outcome
  const remark = given?.(value)
  if (remark) return remark
  if (!isObject(value) || (!failed && isPlain(value))) return undefined
  return failed?.failure.evidence.rule.startsWith('classifier:') ? undefined : finishOf(value)
}

/** The failure of a client's result that has no answer in it; undefined for any other value. Runs on every call. */
export function noAnswer(outcome: Outcome, context: () => ClassifyContext): AttemptFailure | undefined {
  if (outcome.ended !== 'returned' || !isObject(outcome.value) || isPlain(outcome.value)) return undefined
  if (!isNoAnswer(outcome.value)) return undefined
  const error = new NoAnswer('the client found no answer in what came')
  return { failure: classify(error, context()) as Failure, cause: outcome.value }
}

/** True if another provider is asked for a better answer. */
export function failsOver({ as }: Finish, option: NonNullable<CallOptions['finish']>): boolean {
  return typeof option === 'string' ? option === 'failover' && as === 'filtered' : option.includes(as)
}

const WORDS: Readonly<Record<Finish['as'], string>> = {
  length: 'cut at its limit',
  filtered: 'filtered',
  empty: 'empty',
  schema: 'not in the form that was asked for',
}

export function inWords({ as }: Finish): string {
  return WORDS[as]
}

/** A finish in the form of an answer, which the classifier knows. */
export function asAnswer({ as, reason }: Finish): object {
  const finish_reason = as === 'length' ? 'length' : 'content_filter'
  return { choices: [{ finish_reason, native_finish_reason: reason }] }
}

/** The failure that a cut or filtered answer is where only a whole one will do. */
export function finishFailure(
  { value, finish }: { value: unknown; finish: Finish },
  context: ClassifyContext,
): AttemptFailure {
  const isForm = finish.as === 'empty' || finish.as === 'schema'
  const input = isForm ? new NoAnswer(`the answer was ${inWords(finish)}`) : asAnswer(finish)
  return {
    failure: classify(input, isForm ? context : { ...context, returned: true }) as Failure,
    cause: value,
  }
}
