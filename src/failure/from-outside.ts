import type { Deed, Effect, Evidence, Failure, FailureOrigin, RefusalScope } from './failure.ts'
import { isFailureClass, isFailureKind } from './failure.ts'
import { fingerprintIn } from './fingerprint/when-read.ts'
import { type FailureJson, failureFromJson } from './json.ts'
import { PLAIN_KIND } from './label.ts'
import { asMessage } from './message.ts'
import { Redactor } from './redact.ts'
import { isSessionId } from './session-id.ts'
import { isSpeaker } from './speaker.ts'
import { cutAt } from './text/cut.ts'

const LONGEST_TEXT = 8_192
const LONGEST_EXCERPT = 160
const MOST_LOST = 8
const EFFECTS: readonly unknown[] = ['none', 'maybe', 'done'] satisfies Effect[]
const ORIGINS: readonly unknown[] = [
  'gate',
  'timer',
  'abort',
  'rail',
  'lost_session',
] satisfies FailureOrigin[]
const SCOPES: readonly unknown[] = ['account', 'resource'] satisfies RefusalScope[]
const DEEDS: readonly unknown[] = ['said', 'read', 'acted'] satisfies Deed[]
const FINGERPRINT = /^fp\d{1,3}:[\w-]{1,80}$/

/**
 * A failure that was not made here: an object of its shape, in camelCase or as its JSON. Every field is checked,
 * redacted and cut. Undefined if it is no failure.
 */
export function failureFromOutside(value: object): Failure | undefined {
  // Asked first, because every failed call brings an object here and few are a failure.
  const made = fingerprintIn(value)
  if (typeof made !== 'string' || !FINGERPRINT.test(made)) return undefined
  const given = fieldsOf(value)
  const { class: cls, kind, effect, message, fingerprint } = given
  if (![cls, kind, effect, message, fingerprint].every(field => typeof field === 'string')) return undefined
  if (!isFailureClass(cls as string) || !EFFECTS.includes(effect)) return undefined
  const redactor = new Redactor()
  const name = (field: unknown) =>
    typeof field === 'string' && field !== '' ? redactor.name(cutAt(field, LONGEST_EXCERPT)) : undefined
  const said = asMessage(message as string, redactor)
  return defined({
    class: cls as Failure['class'],
    // Another version of this package may know more kinds.
    kind: isFailureKind(kind as string) ? (kind as Failure['kind']) : PLAIN_KIND[cls as Failure['class']],
    effect: effect as Effect,
    provider: name(given.provider),
    model: name(given.model),
    message: said,
    status: number(given.status),
    code: name(given.code),
    outcome: name(given.outcome),
    origin: ORIGINS.includes(given.origin) ? (given.origin as FailureOrigin) : undefined,
    scope: SCOPES.includes(given.scope) ? (given.scope as RefusalScope) : undefined,
    exitCode: number(given.exitCode),
    signal: name(given.signal),
    retryAfterMs: number(given.retryAfterMs),
    resetAt: number(given.resetAt),
    sessionId: isSessionId(given.sessionId) ? name(given.sessionId) : undefined,
    costUsd: number(given.costUsd),
    turns: number(given.turns),
    did: DEEDS.includes(given.did) ? (given.did as Deed) : undefined,
    evidence: evidenceFrom(given.evidence, redactor, said),
    fingerprint: fingerprint as string,
    text: typeof given.text === 'string' ? redactor.redact(cutAt(given.text, LONGEST_TEXT)) : undefined,
  })
}

/** The fields, read as data, under the names of this package. */
function fieldsOf(value: object): Record<string, unknown> {
  const read = Object.fromEntries(
    Object.entries(Object.getOwnPropertyDescriptors(value)).map(([key, field]) => [key, field.value]),
  )
  read.fingerprint = fingerprintIn(value)
  return { ...read, ...failureFromJson(read as FailureJson) }
}

function evidenceFrom(given: unknown, redactor: Redactor, message: string): Evidence {
  const { rule, where, excerpt, speaker, backer, clock, lost } = (given ?? {}) as Partial<Evidence>
  const line = (text: unknown, otherwise: string) =>
    typeof text === 'string' ? cutAt(redactor.name(text), LONGEST_EXCERPT) : otherwise
  return {
    rule: line(rule, 'carried'),
    where: line(where, 'input'),
    excerpt: line(excerpt, cutAt(message, LONGEST_EXCERPT)),
    // Without a speaker it would be heard as our own word.
    speaker: isSpeaker(speaker) ? speaker : 'prose',
    ...(isSpeaker(backer) ? { backer } : {}),
    ...(isSpeaker(clock) ? { clock } : {}),
    lost: (Array.isArray(lost) ? lost.slice(0, MOST_LOST) : []).map(other => ({
      rule: line(other?.rule, 'carried'),
      excerpt: line(other?.excerpt, ''),
    })),
  }
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

function defined(fields: { [field in keyof Failure]-?: Failure[field] | undefined }): Failure {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}
