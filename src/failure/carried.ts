import { type Effect, type Failure, type FailureClass, isFailureClass, isFailureKind } from './failure.ts'
import { failureFromOutside } from './from-outside.ts'
import { isMadeHere } from './made-here.ts'
import { dataOf, isObject } from './observe/read.ts'
import { MEANING } from './own-error.ts'
import { isStronger, type Speaker } from './speaker.ts'

// The only place that recognises what already carries a failure: an error of Mulligan, the outcome of an agent's run, a
// failure itself; from this copy of the package or another, as an object or as its JSON, itself or as the cause of
// another error. It was classified where all the evidence was, so nobody reads its words again.

/** How many causes to follow. */
const DEEPEST = 16
/** How many parts of a failure, and how many tries of a call, are read. */
const MOST_PARTS = 100
/** The longest text that is read as JSON. */
const LONGEST_JSON = 65_536

/**
 * The failure that a value carries; undefined if it carries none. With the effect of everything that was tried, the more
 * careful one where several are known, and with all that was spent. Never throws, and never runs a foreign getter.
 */
export function carriedFailure(input: unknown): Failure | undefined {
  try {
    return inChain(typeof input === 'string' ? fromJson(input) : input)
  } catch {
    // A value that cannot be inspected carries nothing.
    return undefined
  }
}

/**
 * Anybody can write a text, and what is parsed from one: it is heard as prose at most, whoever it says is speaking, it does
 * not show that nothing was done, and it does not say what Mulligan did.
 */
function asSaid({ origin: _origin, ...failure }: Failure): Failure {
  const { backer: _backer, clock, speaker = 'prose', ...evidence } = failure.evidence
  const atMostProse = (given: Speaker) => (isStronger(given, 'prose') ? 'prose' : given)
  return {
    ...failure,
    effect: moreCareful(failure.effect, 'maybe'),
    evidence: {
      ...evidence,
      speaker: atMostProse(speaker),
      ...(clock === undefined ? {} : { clock: atMostProse(clock) }),
    },
  }
}

/** Whether a returned value is one that carries a failure. Cheap, because every successful call is asked. */
export function mayCarryFailure(value: object): boolean {
  return Object.hasOwn(value, 'fingerprint') || Object.hasOwn(value, 'failure')
}

/** The first of an error and its causes for which `isIt` says yes. */
export function withinCauses<T>(input: unknown, isIt: (value: unknown) => value is T): T | undefined {
  try {
    let value = input
    for (let depth = 0; depth < DEEPEST && typeof value === 'object' && value !== null; depth++) {
      if (isIt(value)) return value
      value = dataOf(value, 'cause')
    }
  } catch {
    // A value that cannot be inspected is not it.
  }
  return undefined
}

const CARE: readonly Effect[] = ['none', 'maybe', 'done']

/** The effect that allows less. */
export function moreCareful(a: Effect, b: Effect): Effect {
  return CARE.indexOf(a) >= CARE.indexOf(b) ? a : b
}

/** What a call did and spent. */
type Done = Partial<Pick<Failure, 'sessionId' | 'costUsd' | 'turns'>> & Pick<Failure, 'effect'>

/** A failure, with what another report of the same call says about its effect and its spending. */
export function withWhatWasDone(failure: Failure, { effect, sessionId, costUsd, turns }: Done): Failure {
  return changed(failure, {
    effect: moreCareful(failure.effect, effect),
    ...(failure.sessionId === undefined && sessionId !== undefined ? { sessionId } : {}),
    ...(costUsd !== undefined && costUsd > (failure.costUsd ?? -1) ? { costUsd } : {}),
    ...(turns !== undefined && turns > (failure.turns ?? -1) ? { turns } : {}),
  })
}

/** A failure with other fields; itself if they are its own. A copy reads the fingerprint, a third of the time of classifying. */
export function changed(failure: Failure, fields: Partial<Failure>): Failure {
  const isSame = (Object.keys(fields) as (keyof Failure)[]).every(field => fields[field] === failure[field])
  return isSame ? failure : { ...failure, ...fields }
}

/** The outermost carrier decides, because it has seen what it wraps; what was done and spent is known by all. */
function inChain(input: unknown): Failure | undefined {
  let value = input
  let found: Failure | undefined
  for (let depth = 0; depth < DEEPEST && isObject(value); depth++) {
    const here = at(value)
    if (here) found = found ? withWhatWasDone(found, here) : here
    // Its failure was made from its cause and says all about it; any other error of Mulligan's states its own meaning.
    if (here ? code(value) === 'KNOWN_FAILURE' : isTyped(value)) return found
    value = dataOf(value, 'cause')
  }
  return found
}

function at(value: object): Failure | undefined {
  const parts = partsOf(value)
  if (parts) return ofParts(parts, value)
  const inner = dataOf(value, 'failure')
  if (!isObject(inner)) return value instanceof Error ? undefined : fromOutside(value)
  if (!isCarrier(value)) return undefined
  const failure = isTyped(value) && isOfThisVersion(inner) ? inner : fromOutside(inner)
  return failure && withTries(withSpent(failure, value), dataOf(value, 'attempts'))
}

/** A failure that was made in this program, or what looks like one. */
function fromOutside(value: object): Failure | undefined {
  const failure = failureFromOutside(value)
  return failure && (isMadeHere(dataOf(value, 'evidence')) ? failure : asSaid(failure))
}

/** True for an error of Mulligan: no text or JSON from outside can have its symbol. */
function isTyped(value: object): boolean {
  return value instanceof Error && isObject((value as { [MEANING]?: unknown })[MEANING])
}

function isOfThisVersion(failure: object): failure is Failure {
  const [cls, kind] = [dataOf(failure, 'class'), dataOf(failure, 'kind')]
  return isFailureClass(String(cls)) && isFailureKind(String(kind))
}

/** An error with a failure, an outcome that says it failed, or either as JSON. Data that mentions a failure is none. */
function isCarrier(value: object): boolean {
  return (
    value instanceof Error ||
    dataOf(value, 'ok') === false ||
    code(value) === 'CALL_FAILED' ||
    code(value) === 'KNOWN_FAILURE'
  )
}

/** Adds what the carrier says about spending: a call knows the cost of all its tries, its failure that of the last. */
function withSpent(failure: Failure, carrier: object): Failure {
  const costUsd = amount(dataOf(carrier, 'costUsd') ?? dataOf(carrier, 'cost_usd'))
  const turns = amount(dataOf(carrier, 'turns'))
  const session = dataOf(carrier, 'session')
  const sessionId = isObject(session) ? dataOf(session, 'id') : dataOf(carrier, 'session_id')
  return withWhatWasDone(failure, {
    effect: failure.effect,
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(turns === undefined ? {} : { turns }),
    ...(typeof sessionId === 'string' ? { sessionId } : {}),
  })
}

/** A call that failed at last may have done something in an earlier try, and its turns are those of all. */
function withTries(failure: Failure, attempts: unknown): Failure {
  if (!Array.isArray(attempts) || attempts.length === 0) return failure
  const failures = attempts.slice(0, MOST_PARTS).flatMap(attempt => {
    const inner = isObject(attempt) ? dataOf(attempt, 'failure') : undefined
    return isObject(inner) ? [inner] : []
  })
  const turns = failures.reduce((sum, inner) => sum + (amount(dataOf(inner, 'turns')) ?? 0), 0)
  const effect = failures.reduce<Effect>((worst, inner) => {
    const known = dataOf(inner, 'effect')
    return moreCareful(worst, CARE.includes(known as Effect) ? (known as Effect) : 'maybe')
  }, failure.effect)
  return withWhatWasDone(failure, { effect, ...(turns > 0 ? { turns } : {}) })
}

/** Which of several failures of one call decides: the one that leaves most hope, because one success was enough. */
const HOPE: readonly FailureClass[] = [
  'transient',
  'timeout',
  'throttle',
  'unknown',
  'permanent',
  'rail',
  'aborted',
]

function ofParts(parts: readonly unknown[], whole: object): Failure | undefined {
  const failures = parts.map(inChain)
  if (failures.length === 0 || !failures.every(failure => failure !== undefined)) return undefined
  const best = failures.reduce((a, b) => (HOPE.indexOf(b.class) < HOPE.indexOf(a.class) ? b : a))
  const effect = failures.map(failure => failure.effect).reduce(moreCareful)
  const costUsd = failures.reduce((sum, failure) => sum + (failure.costUsd ?? 0), 0)
  const answers = dataOf(whole, 'answers')
  return withSpent(
    { ...best, effect, ...(costUsd > 0 ? { costUsd } : {}) },
    isObject(answers) ? answers : whole,
  )
}

/** The failures of all who were asked: the errors of an AggregateError, the members of a council that too few answered. */
function partsOf(value: object): readonly unknown[] | undefined {
  if (value instanceof AggregateError) {
    const errors = dataOf(value, 'errors')
    return Array.isArray(errors) ? errors.slice(0, MOST_PARTS) : undefined
  }
  if (code(value) !== 'COUNCIL_FAILED' || dataOf(value, 'because') !== 'too_few') return undefined
  const answers = dataOf(value, 'answers')
  const failures = isObject(answers) ? dataOf(answers, 'failures') : undefined
  if (!Array.isArray(failures) || failures.length === 0) return undefined
  return failures
    .slice(0, MOST_PARTS)
    .map(member => (isObject(member) ? dataOf(member, 'failure') : undefined))
}

function fromJson(text: string): unknown {
  const isIt = text.length <= LONGEST_JSON && /^\s*\{/.test(text) && text.includes('"fingerprint"')
  return isIt ? JSON.parse(text) : undefined
}

function code(value: object): unknown {
  return dataOf(value, 'code')
}

function amount(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value < Infinity ? value : undefined
}
