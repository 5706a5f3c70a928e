import {
  classOfKind,
  type Effect,
  type Failure,
  type FailureKind,
  isFailureClass,
  isFailureKind,
  KINDS,
  type RefusalScope,
} from './failure.ts'
import { PLAIN_KIND } from './label.ts'
import { madeHere } from './made-here.ts'
import { asMessage } from './message.ts'
import { quote } from './quote.ts'
import { redact } from './redact.ts'
import { trim } from './text/cut.ts'

/** What the user's classifier gets besides the input. */
export interface ClassifierQuestion {
  /** The provider that failed. */
  provider?: string
  /** The model that was requested. */
  model?: string
  /** The current time in epoch milliseconds, if known. */
  now?: number
  /** True if the input was returned, not thrown. */
  returned: boolean
  /** The built-in classifier's answer; null if it sees no failure. */
  builtIn: Failure | null
}

/** The answer of a user's classifier: a class or a kind, and any other field it knows. The built-in answer fills in the rest. */
export type ClassifierAnswer = Partial<Failure>

/**
 * Decides in place of the built-in classifier. Must be synchronous and change nothing. Returns undefined to accept the
 * built-in answer, or null for a returned value that is not a failure.
 */
export type Classifier = (input: unknown, question: ClassifierQuestion) => ClassifierAnswer | null | undefined

/** Reports a classifier that gave no usable answer. The built-in answer was used. */
export interface ClassifierProblem {
  /** The function's name. */
  classifier: string
  /** What is wrong with its answer. */
  problem: string
}

/** A classifier, and the listener for its unusable answers. */
export interface Classifying {
  classifier?: Classifier | undefined
  onClassifierProblem?: ((problem: ClassifierProblem) => void) | undefined
}

/**
 * The failure as the user's classifier sees it. Without one, or if it abstains, the built-in answer.
 * @param whole builds a failure from an input that the built-in classifier does not see as one
 */
export function reclassified(
  { classifier, onClassifierProblem }: Classifying,
  input: unknown,
  question: ClassifierQuestion,
  whole: () => Failure,
): Failure | null {
  const { builtIn } = question
  if (!classifier) return builtIn
  const name = nameOf(classifier)
  let problem: string
  try {
    const answer: unknown = classifier(input, question)
    if (answer === undefined) return builtIn
    if (answer === null && question.returned) return null
    const found = problemOf(answer)
    if (found === undefined) return merged(answer as ClassifierAnswer, builtIn ?? whole(), name, question.now)
    if (answer instanceof Promise) answer.catch(() => {})
    problem = found
  } catch (error) {
    problem = `it threw ${inWords(error)}`
  }
  try {
    onClassifierProblem?.({ classifier: name, problem: redact(problem) })
  } catch {
    // A throwing listener must not lose the failure.
  }
  return builtIn
}

/** A revoked proxy throws on every access. */
function nameOf(classifier: Classifier): string {
  try {
    return classifier.name || 'a function'
  } catch {
    return 'a function'
  }
}

function merged(answer: ClassifierAnswer, base: Failure, name: string, now: number | undefined): Failure {
  const { evidence, fingerprint, text, origin } = base
  const given = Object.fromEntries(
    Object.entries(answer).filter(([field, value]) => value !== undefined && field !== 'origin'),
  )
  const cls = answer.class ?? classOfKind(answer.kind as FailureKind)
  const isOfClass = classOfKind(base.kind) === cls
  const kind = answer.kind ?? (isOfClass || base.class === cls ? base.kind : PLAIN_KIND[cls])
  return {
    ...base,
    ...given,
    class: cls,
    kind,
    ...timesOf(answer, now),
    ...(answer.message === undefined ? {} : { message: asMessage(trim(answer.message), { redact }) }),
    evidence: madeHere({
      rule: `classifier:${name}`,
      where: 'classifier',
      excerpt: evidence.excerpt,
      lost: [{ rule: evidence.rule, excerpt: evidence.excerpt }, ...evidence.lost],
    }),
    fingerprint,
    ...(text === undefined ? {} : { text }),
    ...(origin === undefined ? {} : { origin }),
  }
}

/** A stated time in both forms, as the built-in classifier gives it. */
function timesOf({ retryAfterMs, resetAt }: ClassifierAnswer, now: number | undefined): Partial<Failure> {
  if (now === undefined) return {}
  if (resetAt !== undefined) return { resetAt, retryAfterMs: Math.max(0, resetAt - now) }
  return retryAfterMs === undefined ? {} : { retryAfterMs, resetAt: now + retryAfterMs }
}

interface Field {
  /** What a valid value looks like. */
  right: string
  test(value: unknown): boolean
}

const text: Field = { right: 'a non-empty string', test: value => typeof value === 'string' && value !== '' }
const amount: Field = {
  right: 'a number of at least 0',
  test: value => typeof value === 'number' && value >= 0 && value < Infinity,
}
const whole: Field = { right: 'a whole number', test: value => Number.isSafeInteger(value) }
const SCOPES: readonly RefusalScope[] = ['account', 'resource']
const EFFECTS: readonly Effect[] = ['none', 'maybe', 'done']
/** Fields that Mulligan fills in itself. An answer may contain them, copied from the built-in one, but they are ignored. */
const ours: Field = { right: '', test: () => true }

const FIELDS: Record<keyof Failure, Field> = {
  class: {
    right: `one of ${Object.keys(KINDS).join(', ')}`,
    test: value => typeof value === 'string' && isFailureClass(value),
  },
  kind: {
    right: 'a kind of failure, such as rate_limit or invalid_request',
    test: value => typeof value === 'string' && isFailureKind(value),
  },
  effect: { right: `one of ${EFFECTS.join(', ')}`, test: value => EFFECTS.includes(value as Effect) },
  provider: text,
  model: text,
  message: text,
  status: whole,
  code: text,
  outcome: text,
  scope: { right: `one of ${SCOPES.join(', ')}`, test: value => SCOPES.includes(value as RefusalScope) },
  exitCode: whole,
  signal: text,
  retryAfterMs: amount,
  resetAt: { ...amount, right: 'epoch milliseconds' },
  sessionId: text,
  costUsd: amount,
  turns: whole,
  did: ours,
  origin: ours,
  evidence: ours,
  fingerprint: ours,
  text: ours,
}

/** What is wrong with an answer; undefined if it is valid. */
function problemOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    return `${quote(answer)} is not a valid answer; return an object such as { class: "throttle", kind: "quota" }, or undefined to abstain`
  if (typeof (answer as { then?: unknown }).then === 'function')
    return 'it returned a promise; a classifier must be synchronous'
  for (const [key, value] of Object.entries(answer)) {
    const field = Object.hasOwn(FIELDS, key) ? FIELDS[key as keyof Failure] : undefined
    if (!field) return `unknown field ${quote(key)}; known: ${Object.keys(FIELDS).join(', ')}`
    if (value !== undefined && !field.test(value)) return `${key} must be ${field.right}, not ${quote(value)}`
  }
  const { class: cls, kind } = answer as ClassifierAnswer
  return cls === undefined && kind === undefined ? 'an answer needs a class or a kind' : undefined
}

/** Must not throw: anything can be thrown, even a value that cannot be converted to a string. */
function inWords(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : quote(error)
  } catch {
    return `a value of type ${typeof error}`
  }
}
