import { buildFailure } from './build.ts'
import { compiledCatalogue } from './catalogue/compiled.ts'
import type { CompiledCatalogue, KnownRule } from './catalogue/compiled-form.ts'
import { type ClassifierQuestion, type Classifying, reclassified } from './classifier.ts'
import { type ClassifyContext, checkedContext, isSignatures, type UsableContext } from './context.ts'
import { hasWorked } from './effect.ts'
import type { Failure } from './failure.ts'
import { type FailureLabel, withLabel } from './label.ts'
import { Matcher } from './match.ts'
import { isBareNotice, isLog } from './observe/notice.ts'
import { emptyObservation, type Observation } from './observe/observation.ts'
import { type Observed, observe } from './observe/observe.ts'
import { END_OF_PROCESS } from './observe/process.ts'
import { OWN, signatureRule, UNRECOGNISED } from './own.ts'
import { ownMeaning, ruleOf } from './own-error.ts'
import type { Candidate } from './precedence.ts'
import { redact } from './redact.ts'
import type { SignatureMatch, Signatures } from './signature.ts'
import { plainJson } from './text/plain-json.ts'

let matcher: Matcher | undefined

/** Made on first use: importing the library must cost nothing. */
function catalogue(): Matcher {
  matcher ??= new Matcher(compiledCatalogue())
  return matcher
}

/** Does something with another catalogue in the place of ours, to measure what a part of it is worth. */
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
 * Never throws, never changes its input, reads each property at most once. Precedence: the caller's own facts, what
 * an error of ours says of itself, the operator's signatures, then the catalogue (see precedence.ts).
 *
 * @returns the failure, or null when the input is none
 */
export function classify(input: unknown, given: ClassifyContext = {}): Failure | null {
  const builtIn = builtInAnswer(input, given)
  const classifying = classifyingOf(given)
  return classifying ? bySomebodyElse(classifying, input, builtIn, given) : builtIn
}

/** A classifier of the user, unless the caller itself did what is to be classified: of that there is nothing to find out. */
function classifyingOf(given: ClassifyContext): Classifying | undefined {
  try {
    const { own } = given
    const isOwn = own?.aborted === true || own?.timedOut === true || own?.rail !== undefined
    return typeof given.classifier === 'function' && !isOwn ? given : undefined
  } catch {
    return undefined
  }
}

/**
 * The same question about a failure that is known already, because it was classified where all its evidence was: what
 * that saw of an effect stands.
 */
export function classifyKnown(input: unknown, known: Failure, given: ClassifyContext = {}): Failure {
  const classifying = classifyingOf(given)
  if (!classifying) return known
  const answer = bySomebodyElse(classifying, input, known, { ...given, returned: false }) ?? known
  return answer.effect === 'none' ? { ...answer, effect: known.effect } : answer
}

function bySomebodyElse(
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
      builtInAnswer(input, thrown) ?? (builtInAnswer(new Error('it was called a failure'), thrown) as Failure)
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
  const matched = crashesOf(observed, catalogue().match(observed.observation, context.provider))
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
  return shown(input, signedOrNot(observed, matched, context))
}

function isPlain(input: unknown): boolean {
  try {
    return typeof input === 'object' && input !== null && !(input instanceof Error)
  } catch {
    // A proxy that was revoked answers nothing.
    return false
  }
}

/** Of an object that says nothing in words, a reader is shown what it holds. */
function shown(input: unknown, failure: Failure): Failure {
  if (failure.message !== UNRECOGNISED.unknown.why || !isPlain(input)) return failure
  return { ...failure, message: redact(plainJson(input) ?? failure.message) }
}

/**
 * The throttle that the output of a success mentions, for provider health only: some CLIs end well after
 * meeting a limit on the way. Null if there is none.
 */
export function throttleHint(input: unknown, given: ClassifyContext = {}): Failure | null {
  const context = checkedContext(given)
  // What a success returned is its answer; only the shape of a failure in it counts.
  const { provider, signatures } = context
  const observed = readSafely(input, { provider, signatures, returned: true })
  const observation =
    observed.ending === 'failed' ? observed.observation : withoutAnswer(observed.observation)
  const matched = catalogue().match(observation, context.provider)
  const match = signaturesFor(context)?.match(...observation.heard.map(({ value }) => value))
  if (match) return match.label.class === 'throttle' ? signed(observation, match, matched, context) : null
  const winner = matched[0]
  if (winner?.rule.class !== 'throttle' || winner.rule.rank === 'said' || winner.rule.rank === 'hint')
    return null
  return buildFailure(observation, matched, context)
}

/** An answer may talk of limits. What counts are events, headers and what was said on stderr. */
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

/**
 * A mistake in the code is permanent for its author. Of an agent CLI that broke down, only that is known:
 * another may do, and a person should look.
 */
function crashesOf({ observation }: Observed, matched: Candidate[]): Candidate[] {
  if (observation.process?.agent === undefined) return matched
  return matched.map(candidate =>
    candidate.rule.kind === 'code_bug'
      ? { ...candidate, rule: { ...candidate.rule, class: 'unknown', kind: 'crash' } }
      : candidate,
  )
}

/** Reading never throws by design; this is the net below it, because the promise is to every caller. */
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

/** Our timer fired. Where the output shows what was being waited out, that is the failure. */
function timedOut(observed: Observed, matched: Candidate[]): Candidate[] {
  const cause = matched.find(
    ({ rule, where }) =>
      (rule.class === 'throttle' || rule.class === 'transient') &&
      rule.rank !== 'last' &&
      // How it ended is our own doing.
      where !== END_OF_PROCESS,
  )
  const cut = fact(OWN.timedOut)
  return cause && observed.observation.process
    ? [cause, cut, ...matched.filter(other => other !== cause)]
    : [cut, ...matched]
}

/**
 * Exit code 0, and no event or last words of a known agent tell of a failure. It is a success whatever the
 * answer talks about, unless the whole answer is one sentence that names why there is none.
 */
function isStopNotice({ observation }: Observed, matched: readonly Candidate[]): boolean {
  const winner = matched[0]
  if (!observation.process || !winner || winner.late || winner.structured) return false
  if (isLog(observation.process.printed)) return false
  const { rank } = winner.rule
  const isTelling =
    rank === 'cause' || rank === 'named' || (rank === 'said' && observation.process.agent !== undefined)
  return isTelling && isBareNotice(winner.source)
}

/**
 * The failure by signatures, else by the catalogue. The config's patterns come first, then labels: that of the very
 * fingerprint before the patterns that labels brought along.
 */
function signedOrNot(observed: Observed, matched: Candidate[], context: UsableContext): Failure {
  const { observation } = observed
  const signatures = signaturesFor(context)
  const match = signatures?.match(...observation.heard.map(({ value }) => value))
  if (match && !(match.isLearned && signatures?.hasFingerprints))
    return signed(observation, match, matched, context)
  const candidates = orUnrecognised(observed, matched)
  const failure = buildFailure(observation, candidates, context)
  const label = signatures?.hasFingerprints ? signatures.labelled(failure.fingerprint) : undefined
  if (label) return byFingerprint(failure, label, observation, candidates, context)
  return match ? signed(observation, match, matched, context) : failure
}

/** A signature fixes the class; what it leaves open comes from the catalogue where that agrees on the class. */
function signed(
  observation: Observation,
  { label, pattern, text, start, end }: SignatureMatch,
  matched: Candidate[],
  context: UsableContext,
): Failure {
  const agreeing = matched.find(({ rule }) => rule.class === label.class)
  const rule: KnownRule = { ...(agreeing?.rule ?? signatureRule(label)), id: `signature:${pattern}` }
  const winner: Candidate = {
    rule,
    where: 'signature',
    source: text,
    at: start,
    end,
    depth: 0,
    structured: true,
    late: false,
  }
  const candidates = [winner, ...matched]
  const failure = buildFailure(observation, candidates, context)
  return withLabel(failure, label, { now: context.now, hasWorked: hasWorked(observation, candidates) })
}

/** A person said what failures with this fingerprint are: everything else stays as it was read. */
function byFingerprint(
  failure: Failure,
  label: FailureLabel,
  observation: Observation,
  candidates: Candidate[],
  context: UsableContext,
): Failure {
  const { evidence, fingerprint } = failure
  const known = { now: context.now, hasWorked: hasWorked(observation, candidates) }
  return {
    ...withLabel(failure, label, known),
    evidence: {
      rule: `label:${fingerprint}`,
      where: 'fingerprint',
      excerpt: evidence.excerpt,
      lost: [{ rule: evidence.rule, excerpt: evidence.excerpt }, ...evidence.lost],
    },
  }
}

function signaturesFor({ signatures, provider }: ClassifyContext): Signatures | undefined {
  if (!signatures || isSignatures(signatures)) return signatures
  const own: unknown = signatures.get(provider ?? '')
  return isSignatures(own) ? own : undefined
}

function orUnrecognised({ observation }: Observed, matched: Candidate[]): Candidate[] {
  if (matched.length > 0) return matched
  const { process } = observation
  if (process && process.agent === undefined && process.exitCode !== null)
    return [fact(UNRECOGNISED.command, 'input')]
  return [fact(UNRECOGNISED.unknown, 'input')]
}

/** What no evidence in the input decides: told by the caller, or left over by the input as a whole. */
function fact(rule: KnownRule, where: 'caller' | 'input' = 'caller'): Candidate {
  return { rule, where, source: '', at: 0, end: 0, depth: 0, structured: true, late: false }
}
