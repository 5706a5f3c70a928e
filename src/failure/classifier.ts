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
import { asMessage } from './message.ts'
import { redact } from './redact.ts'
import { trim } from './text/trim.ts'

/** What a classifier of the user may know beside the input. */
export interface ClassifierQuestion {
  /** Who failed. */
  provider?: string
  /** The model that was asked for. */
  model?: string
  /** Epoch milliseconds, where that is known. */
  now?: number
  /** The input was returned, not thrown. */
  returned: boolean
  /** What the built-in classifier says; null where it sees no failure. */
  builtIn: Failure | null
}

/** What a classifier of the user may say: a class or a kind, and whatever else it knows. The rest is as built in. */
export type ClassifierAnswer = Partial<Failure>

/**
 * Decides in place of the built-in classifier, at once and without changing anything. Answers nothing to leave it to
 * that one, or null for a returned value that is no failure.
 */
export type Classifier = (input: unknown, question: ClassifierQuestion) => ClassifierAnswer | null | undefined

/** A classifier that gave no usable answer: the built-in one has decided, and this is reported. */
export interface ClassifierProblem {
  /** Name of the function. */
  classifier: string
  /** What is wrong with its answer, in words. */
  problem: string
}

/** A classifier, and who is told if it gives no usable answer. */
export interface Classifying {
  classifier?: Classifier | undefined
  onClassifierProblem?: ((problem: ClassifierProblem) => void) | undefined
}

/**
 * The failure as the classifier of the user sees it; without one, or where it abstains, as it was.
 * @param whole makes a failure of an input that the built-in classifier takes for none
 */
export function reclassified(
  { classifier, onClassifierProblem }: Classifying,
  input: unknown,
  question: ClassifierQuestion,
  whole: () => Failure,
): Failure | null {
  const { builtIn } = question
  if (!classifier) return builtIn
  const name = classifier.name || 'a function'
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
    // A listener must not be able to lose a failure.
  }
  return builtIn
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
    evidence: {
      rule: `classifier:${name}`,
      where: 'classifier',
      excerpt: evidence.excerpt,
      lost: [{ rule: evidence.rule, excerpt: evidence.excerpt }, ...evidence.lost],
    },
    fingerprint,
    ...(text === undefined ? {} : { text }),
    ...(origin === undefined ? {} : { origin }),
  }
}

/** Both forms of a stated time, as the built-in classifier gives them. */
function timesOf({ retryAfterMs, resetAt }: ClassifierAnswer, now: number | undefined): Partial<Failure> {
  if (now === undefined) return {}
  if (resetAt !== undefined) return { resetAt, retryAfterMs: Math.max(0, resetAt - now) }
  return retryAfterMs === undefined ? {} : { retryAfterMs, resetAt: now + retryAfterMs }
}

interface Field {
  /** What would be right. */
  right: string
  test(value: unknown): boolean
}

const text: Field = { right: 'a text', test: value => typeof value === 'string' && value !== '' }
const amount: Field = {
  right: 'a number, 0 or more',
  test: value => typeof value === 'number' && value >= 0 && value < Infinity,
}
const whole: Field = { right: 'a whole number', test: value => Number.isSafeInteger(value) }
const SCOPES: readonly RefusalScope[] = ['account', 'resource']
const EFFECTS: readonly Effect[] = ['none', 'maybe', 'done']
/** Fields that are made here; an answer may bring those of the built-in classifier along. */
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
  origin: ours,
  evidence: ours,
  fingerprint: ours,
  text: ours,
}

/** What is wrong with an answer; undefined if nothing. */
function problemOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    return `${quote(answer)} is no answer; one looks like { class: "throttle", kind: "quota" }, or is undefined to abstain`
  if (typeof (answer as { then?: unknown }).then === 'function')
    return 'a promise is no answer: classifiers decide at once'
  for (const [key, value] of Object.entries(answer)) {
    const field = Object.hasOwn(FIELDS, key) ? FIELDS[key as keyof Failure] : undefined
    if (!field) return `unknown field ${quote(key)}; known: ${Object.keys(FIELDS).join(', ')}`
    if (value !== undefined && !field.test(value)) return `${key} must be ${field.right}, not ${quote(value)}`
  }
  const { class: cls, kind } = answer as ClassifierAnswer
  return cls === undefined && kind === undefined ? 'an answer needs a class or a kind' : undefined
}

/** Answers may be anything, also what JSON cannot say. */
function quote(value: unknown): string {
  try {
    const written = JSON.stringify(value) ?? String(value)
    return written.length > 80 ? `${written.slice(0, 79)}…` : written
  } catch {
    return `a value of type ${typeof value}`
  }
}

/** Anything can be thrown, also what cannot be made a text. */
function inWords(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : quote(error)
  } catch {
    return `a value of type ${typeof error}`
  }
}
