import type { UsableContext } from './context.ts'
import { effectOf } from './effect.ts'
import { evidenceOf } from './evidence.ts'
import type { Failure } from './failure.ts'
import { type FingerprintParts, firstFingerprintOf, type Said } from './fingerprint/fingerprint.ts'
import { fingerprintWhenRead } from './fingerprint/when-read.ts'
import { firstMessageOf, messageOf, spokenIn } from './message.ts'
import type { Observation, Status, Word } from './observe/observation.ts'
import type { Candidate } from './precedence.ts'
import { Redactor } from './redact.ts'
import { scopeOf } from './scope.ts'
import type { Speaker } from './speaker.ts'
import { speakerOf } from './speaking.ts'
import { cutAt, trim } from './text/cut.ts'
import { withoutControls } from './text/printable.ts'
import { type Wait, waitOf } from './times/wait.ts'

/** How many characters of redacted text to keep with a failure for backtests. */
const KEPT_TEXT = 8_192

/** Builds a Failure from an observation and its candidates, the deciding one first. */
export function buildFailure(
  observation: Observation,
  candidates: readonly Candidate[],
  context: UsableContext,
): Failure {
  const winner = candidates[0] as Candidate
  const { rule } = winner
  const { process } = observation
  const redactor = new Redactor()
  const message = messageOf(observation, winner, redactor)
  const status = statusOf(observation, winner)
  const code = hidden(codeOf(observation, winner), redactor)
  const exitCode = process?.exitCode ?? undefined
  const signal = hidden(process?.signal ?? undefined, redactor)
  const wait = waitFor(observation, winner, context)
  const evidence = evidenceOf(candidates, observation, redactor, wait && clockOf(wait, observation))
  return withoutGaps({
    class: rule.class,
    kind: rule.kind,
    effect: effectOf(observation, candidates),
    provider: hidden(context.provider, redactor),
    model: hidden(context.model, redactor),
    message,
    status,
    code,
    // Set only for agent runs.
    outcome: undefined,
    origin: rule.origin,
    scope: scopeOf({
      kind: rule.kind,
      status,
      known: rule.scope,
      said: `${message}\n${evidence.excerpt}\n${code ?? ''}`,
    }),
    exitCode,
    signal,
    retryAfterMs: wait?.retryAfterMs,
    resetAt: wait?.resetAt,
    sessionId: hidden(observation.sessionId, redactor),
    costUsd: observation.costUsd,
    turns: observation.turns,
    did: undefined,
    evidence,
    fingerprint: {
      provider: context.provider,
      name: nameOf(observation),
      codes: [status, code, exitCode, signal, ...kindsIn(observation)],
      texts: saidIn(observation, message),
    },
    text: keptText(observation, redactor),
  })
}

/** What was said; the message if nothing was said in words. */
function saidIn(observation: Observation, message: string): readonly Said[] {
  const said = spokenIn(observation)
  return said.length > 0 ? said : [{ value: message, depth: 0 }]
}

/** What a typed error calls its kind, beside its code: `error.type`, `error.kind`. */
function kindsIn({ words }: Observation): string[] {
  return words.filter(({ where }) => KIND.test(where)).map(({ value }) => value)
}

const KIND = /\berror\.(?:type|kind|category|subtype|reason|status)$/

/** The fingerprint that this failure had in their first form, for labels that were given to it. */
export function firstFingerprint(failure: Failure, observation: Observation, winner: Candidate): string {
  const { provider, status, code, exitCode, signal } = failure
  return firstFingerprintOf({
    provider,
    name: nameOf(observation),
    codes: [status, code, exitCode, signal],
    text: firstMessageOf(observation, winner, new Redactor()),
  })
}

function waitFor(
  observation: Observation,
  { rule, late }: Candidate,
  context: UsableContext,
): Wait | undefined {
  const isThrottle = rule.class === 'throttle'
  if (!isThrottle && rule.class !== 'transient') return undefined
  return waitOf(observation, context, isThrottle || late, isThrottle)
}

/** Who stated a time: a header, a field or a text. */
function clockOf({ by }: Wait, observation: Observation): Speaker {
  if (by === undefined) return 'transport'
  const { where, isField, quoted } = by
  return speakerOf({ where, structured: isField, quoted }, observation)
}

/** Omits unknown fields instead of setting them to undefined, to keep records and JSON free of noise. */
function withoutGaps(
  fields: { [field in keyof Omit<Failure, 'fingerprint'>]-?: Failure[field] | undefined } & {
    fingerprint: FingerprintParts
  },
): Failure {
  const { class: cls, kind, effect, message, evidence } = fields as Omit<Failure, 'fingerprint'>
  const failure = { class: cls, kind, effect } as Failure
  if (fields.provider !== undefined) failure.provider = fields.provider
  if (fields.model !== undefined) failure.model = fields.model
  failure.message = message
  if (fields.status !== undefined) failure.status = fields.status
  if (fields.code !== undefined) failure.code = fields.code
  if (fields.origin !== undefined) failure.origin = fields.origin
  if (fields.scope !== undefined) failure.scope = fields.scope
  if (fields.exitCode !== undefined) failure.exitCode = fields.exitCode
  if (fields.signal !== undefined) failure.signal = fields.signal
  if (fields.retryAfterMs !== undefined) failure.retryAfterMs = fields.retryAfterMs
  if (fields.resetAt !== undefined) failure.resetAt = fields.resetAt
  if (fields.sessionId !== undefined) failure.sessionId = fields.sessionId
  if (fields.costUsd !== undefined) failure.costUsd = fields.costUsd
  if (fields.turns !== undefined) failure.turns = fields.turns
  failure.evidence = evidence
  fingerprintWhenRead(failure, fields.fingerprint)
  if (fields.text !== undefined) failure.text = fields.text
  return failure
}

/**
 * The status that decided; else the status of the deciding layer; else the outermost one on the way to it. Other tries
 * that failed differently have their own status.
 */
function statusOf(observation: Observation, winner: Candidate): number | undefined {
  const stated = observation.statuses.filter(status => !status.late)
  const decided = stated.find(({ where, value }) => where === winner.where && String(value) === winner.source)
  if (decided || stated.length < 2) return (decided ?? stated[0])?.value
  const layer = layerOf(winner.where)
  const beside = stated.find(({ where }) => layer !== '' && layerOf(where) === layer)
  const near = stated.filter(({ where }) => isOnTheWay(layerOf(where), layer))
  return (beside ?? outermost(near) ?? outermost(stated))?.value
}

function outermost(statuses: readonly Status[]): Status | undefined {
  return statuses.reduce<Status | undefined>(
    (best, status) => (best && best.depth <= status.depth ? best : status),
    undefined,
  )
}

/** The object a field belongs to: `error.cause` for `error.cause.code`. */
function layerOf(where: string): string {
  return where.slice(0, Math.max(0, startOfField(where) - 1))
}

/** Where the last field of a path begins. A loop, because `lastIndexOf` is slow on short strings. */
function startOfField(where: string): number {
  let start = where.length
  while (start > 0 && where[start - 1] !== '.') start--
  return start
}

function isOnTheWay(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a)
}

const CODE_FIELDS = new Set(
  'code errorCode error_code err_code errcode error_kind errorKind Code reason'.split(' '),
)
const TYPE_FIELDS = new Set('type errorType error_type __type'.split(' '))
/** A numeric code, as it was written. HTTP statuses have their own field. */
const NUMERIC_CODE = /^(?:code|error_code|err_code|errcode)=(-?\d+)$/
/** Words that stand in place of a code and name nothing. */
const NO_CODE =
  /^(?:error|errors|failed|failure|fail|exception|null|undefined|none|unknown|true|false|ok|success|)$/

/** The code that decided, else the deepest one in its branch. A `type` counts as a code only if it names an error. */
function codeOf(observation: Observation, winner: Candidate): string | undefined {
  const named: { word: Word; code: string }[] = []
  for (const word of observation.words) {
    const code = codeIn(word)
    if (code !== undefined) named.push({ word, code })
  }
  if (named.length < 2) return named[0]?.code
  const layer = layerOf(winner.where)
  const decided = named.find(({ word }) => word.where === winner.where && word.value === winner.source)
  const near = named.filter(({ word }) => isOnTheWay(layerOf(word.where), layer))
  const deepest = (near.length > 0 ? near : named).reduce((best, other) =>
    best.word.depth >= other.word.depth ? best : other,
  )
  return (decided ?? deepest).code
}

function codeIn({ where, value, raw }: Word): string | undefined {
  const field = where.slice(startOfField(where))
  if (raw !== undefined) {
    const isCode =
      (CODE_FIELDS.has(field) && !value.includes(' ')) ||
      (TYPE_FIELDS.has(field) && /error|exception|limit|quota|denied|overload/.test(value))
    return isCode && !NO_CODE.test(value) ? raw : undefined
  }
  const digits = CODE_FIELDS.has(field) ? NUMERIC_CODE.exec(value)?.[1] : undefined
  const isStatus = digits !== undefined && /^[1-5]\d\d$/.test(digits)
  return isStatus || digits === '0' ? undefined : digits
}

/** Names and ids also come from outside: they may contain a secret or terminal control sequences. */
function hidden(value: string | undefined, redactor: Redactor): string | undefined {
  return value === undefined ? undefined : redactor.name(value)
}

function nameOf(observation: Observation): string | undefined {
  return observation.words.find(word =>
    /^(?:error|exception)?_?name$/i.test(word.where.slice(startOfField(word.where))),
  )?.value
}

function keptText(observation: Observation, redactor: Redactor): string | undefined {
  const text = trim(observation.texts.map(({ value }) => value).join('\n'), KEPT_TEXT * 2)
  return text === '' ? undefined : cutAt(redactor.redact(withoutControls(text)), KEPT_TEXT)
}
