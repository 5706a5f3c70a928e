import { buildFailure } from './build.ts'
import { bySignature, bySignatureOnly, bySignatureOrCatalogue, signaturesFor } from './by-signature.ts'
import { carriedFailure, changed, moreCareful, withWhatWasDone } from './carried.ts'
import { compiledCatalogue } from './catalogue/compiled.ts'
import type { CompiledCatalogue } from './catalogue/compiled-form.ts'
import { RANKS } from './catalogue/rank.ts'
import { type ClassifierQuestion, type Classifying, reclassified } from './classifier.ts'
import { structureFirst } from './client-error.ts'
import { type ClassifyContext, checkedContext } from './context.ts'
import { asProvider } from './crash.ts'
import type { Failure } from './failure.ts'
import { Matcher } from './match.ts'
import { emptyObservation } from './observe/notes.ts'
import { isBareNotice, isLog } from './observe/notice.ts'
import type { Observation } from './observe/observation.ts'
import { type Observed, observe } from './observe/observe.ts'
import { END_OF_PROCESS } from './observe/process.ts'
import { fact, OWN, UNRECOGNISED } from './own.ts'
import { ownMeaning, ruleOf } from './own-error.ts'
import type { Candidate } from './precedence.ts'
import { redact } from './redact.ts'
import { reportInside, schemaMiss } from './schema-miss.ts'
import { plainJson } from './text/plain-json.ts'

let matcher: Matcher | undefined

/** Built on first use, because importing the library must cost nothing. */
function catalogue(): Matcher {
  matcher ??= new Matcher(compiledCatalogue())
  return matcher
}

/** Runs `work` with another catalogue, to measure what a part of the catalogue contributes. */
export function withCatalogue<T>(compiled: CompiledCatalogue, work: () => T): T {
  const before = matcher
  matcher = new Matcher(compiled)
  try {
    return work()
  } finally {
    matcher = before
  }
}

/**
 * Classifies anything that an agent program can throw, return or print.
 *
 * Never throws, never changes its input, reads each property at most once. Precedence: the caller's own facts, a failure
 * that the input already carries, the meaning that Mulligan's own errors state, the operator's signatures, then the
 * catalogue (see precedence.ts).
 *
 * @returns the failure, or null if the input is not a failure
 */
export function classify(input: unknown, given: ClassifyContext = {}): Failure | null {
  const carried = carriedIn(input, given)
  if (carried) return afterCarried(input, carried, given)
  const builtIn = builtInAnswer(input, given)
  const classifying = classifyingOf(given)
  return classifying ? askClassifier(classifying, input, builtIn, given) : builtIn
}

/** The user's classifier. Undefined if the caller aborted, timed out or hit its own rail: then the cause is known. */
function classifyingOf(given: ClassifyContext): Classifying | undefined {
  try {
    const { own } = given
    const isOwn = own?.aborted === true || own?.timedOut === true || own?.rail !== undefined
    return typeof given.classifier === 'function' && !isOwn ? given : undefined
  } catch {
    return undefined
  }
}

/** The failure that an input carries. A returned text is an answer, whatever it looks like. */
function carriedIn(input: unknown, given: ClassifyContext): Failure | undefined {
  if (typeof input === 'string' && checkedContext(given).returned) return undefined
  return carriedFailure(input)
}

/**
 * A failure that was already classified where all its evidence was. What the caller itself did still comes first, signatures
 * name what nobody had recognised, and the user's classifier is asked. An effect that was seen stands.
 */
function afterCarried(input: unknown, carried: Failure, given: ClassifyContext): Failure | null {
  const context = checkedContext(given)
  const { own, provider, model } = context
  const known = changed(carried, {
    ...(provider === undefined || carried.provider !== undefined ? {} : { provider }),
    ...(model === undefined || carried.model !== undefined ? {} : { model }),
  })
  const isExplained = carried.class === 'throttle' || carried.class === 'transient'
  const isOurs = own?.aborted || own?.rail !== undefined || (own?.timedOut && !isExplained)
  const read = isOurs ? builtInAnswer(input, given) : null
  if (read) return withWhatWasDone(read, known)
  // Neither a text nor a call that was cut short shows that nothing was done.
  const effect = moreCareful(known.effect, own?.timedOut || typeof input === 'string' ? 'maybe' : 'none')
  const careful = changed(known, { effect })
  const named = known.class === 'unknown' ? bySignatureOnly(careful, context) : careful
  const classifying = classifyingOf(given)
  if (!classifying) return named
  const answer = askClassifier(classifying, input, named, given)
  return answer?.effect === 'none' ? { ...answer, effect: named.effect } : answer
}

function askClassifier(
  classifying: Classifying,
  input: unknown,
  builtIn: Failure | null,
  given: ClassifyContext,
): Failure | null {
  const { provider, model, now, returned } = checkedContext(given)
  const question: ClassifierQuestion = {
    returned: returned === true,
    builtIn,
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(now === undefined ? {} : { now }),
  }
  const whole = () => {
    const thrown = { ...given, returned: false }
    return (
      builtInAnswer(input, thrown) ??
      (builtInAnswer(new Error('the classifier called it a failure'), thrown) as Failure)
    )
  }
  return reclassified(classifying, input, question, whole)
}

function builtInAnswer(input: unknown, given: ClassifyContext): Failure | null {
  const context = checkedContext(given)
  const observed = readSafely(input, context)
  const { own } = context
  const aborted = own?.aborted === true || observed.aborted
  const hasTimedOut = own?.timedOut === true || observed.timedOut
  const isOver = observed.ending === 'succeeded' || (observed.ending === 'seems over' && !hasTimedOut)
  if (!aborted && !own?.rail && isOver) return null
  const found = structureFirst(catalogue().match(observed.observation, context.provider))
  const matched = asProvider(observed.observation, found, context)
  if (aborted) return buildFailure(observed.observation, [fact(OWN.aborted), ...matched], context)
  if (own?.rail) return buildFailure(observed.observation, [fact(OWN.rail(own.rail)), ...matched], context)
  if (hasTimedOut) {
    return buildFailure(observed.observation, timedOut(observed, matched), context)
  }
  const meaning = ownMeaning(input)
  if (meaning) {
    const rule = ruleOf(meaning)
    return { ...buildFailure(observed.observation, [fact(rule), ...matched], context), effect: rule.effect }
  }
  if (observed.ending === 'exited zero' && !isStopNotice(observed, matched)) return null
  const report = reportInside(input)
  const inside = report && builtInAnswer(report, { ...given, returned: true })
  if (inside) return inside
  const missed = schemaMiss(input, context)
  const candidates = missed ? [missed, ...matched] : matched
  const failure = withJsonMessage(input, bySignatureOrCatalogue(observed.observation, candidates, context))
  // What is inside says that something is invalid, which reads as if nothing had been sent.
  return missed ? { ...failure, effect: 'maybe' } : failure
}

function isPlain(input: unknown): boolean {
  try {
    return typeof input === 'object' && input !== null && !(input instanceof Error)
  } catch {
    // A revoked proxy throws on every access.
    return false
  }
}

/** If an object says nothing in words, its JSON becomes the message. */
function withJsonMessage(input: unknown, failure: Failure): Failure {
  if (failure.message !== UNRECOGNISED.unknown.why || !isPlain(input)) return failure
  return { ...failure, message: redact(plainJson(input) ?? failure.message) }
}

/**
 * The throttle that a successful output mentions, for provider health only: some CLIs succeed after hitting a limit on
 * the way. Null if it mentions none.
 */
export function throttleHint(input: unknown, given: ClassifyContext = {}): Failure | null {
  const context = checkedContext(given)
  // The returned value is an answer; only a failure shape in it counts.
  const { provider, signatures } = context
  const observed = readSafely(input, { provider, signatures, returned: true })
  const observation =
    observed.ending === 'failed' ? observed.observation : withoutAnswer(observed.observation)
  const matched = catalogue().match(observation, context.provider)
  const match = signaturesFor(context)?.match(...observation.heard.map(({ value }) => value))
  if (match)
    return match.label.class === 'throttle' ? bySignature(observation, match, matched, context) : null
  const winner = matched[0]
  if (winner?.rule.class !== 'throttle' || !RANKS[winner.rule.rank].proves) return null
  return buildFailure(observation, matched, context)
}

/** Drops the answer, which may talk about limits. Events, headers and stderr still count. */
function withoutAnswer(observation: Observation): Observation {
  const isElsewhere = ({ where }: { where: string }) => where !== 'stdout' && where !== 'response.body'
  return {
    ...observation,
    words: observation.words.filter(isElsewhere),
    statuses: observation.statuses.filter(isElsewhere),
    texts: observation.texts.filter(isElsewhere),
    heard: observation.heard.filter(isElsewhere),
  }
}

/** Reading never throws by design. This catch keeps the promise to callers if the design has a hole. */
function readSafely(input: unknown, context: ClassifyContext): Observed {
  try {
    return observe(input, context)
  } catch {
    return {
      observation: emptyObservation(),
      ending: context.returned ? 'succeeded' : 'failed',
      timedOut: false,
      aborted: false,
    }
  }
}

/** The caller's timer fired. If the output shows what the process was waiting for, that is the failure. */
function timedOut(observed: Observed, matched: Candidate[]): Candidate[] {
  const cause = matched.find(
    ({ rule, where }) =>
      (rule.class === 'throttle' || rule.class === 'transient') &&
      RANKS[rule.rank].stands &&
      // The exit is the caller's own doing.
      where !== END_OF_PROCESS,
  )
  const cut = fact(OWN.timedOut)
  return cause && observed.observation.process
    ? [cause, cut, ...matched.filter(other => other !== cause)]
    : [cut, ...matched]
}

/**
 * Exit code 0, and neither an event nor the last words of a known agent report a failure. This is a success, even if the
 * answer talks about errors, unless the whole answer is one sentence that says why there is none.
 */
function isStopNotice({ observation }: Observed, matched: readonly Candidate[]): boolean {
  const winner = matched[0]
  if (!observation.process || !winner || winner.late || winner.structured) return false
  if (isLog(observation.process.printed)) return false
  const { rank } = winner.rule
  const isTelling = RANKS[rank].proves || (rank === 'general' && observation.process.agent !== undefined)
  return isTelling && isBareNotice(winner.source)
}
