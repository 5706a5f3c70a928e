import type { ClassifyContext } from './context.ts'
import { effectOf } from './effect.ts'
import { evidenceOf } from './evidence.ts'
import type { Failure } from './failure.ts'
import { fingerprintOf } from './fingerprint.ts'
import { messageOf } from './message.ts'
import type { Observation, Status, Word } from './observe/observation.ts'
import type { Candidate } from './precedence.ts'
import { redact } from './redact.ts'
import { oneLine, withoutControls } from './text/shown.ts'
import { trim } from './text/trim.ts'
import { waitOf } from './times/wait.ts'

/** Characters of redacted text that are kept with a failure for backtests. */
const KEPT_TEXT = 8_192

/** Puts a Failure together from what was observed and the candidates, the decisive one first. */
export function buildFailure(
  observation: Observation,
  candidates: readonly Candidate[],
  context: ClassifyContext,
): Failure {
  const winner = candidates[0] as Candidate
  const { rule } = winner
  const { process } = observation
  const message = messageOf(observation, winner)
  const status = statusOf(observation, winner)
  const code = codeOf(observation, winner)
  const exitCode = process?.exitCode ?? undefined
  const signal = hidden(process?.signal ?? undefined)
  const isThrottle = rule.class === 'throttle'
  const waits = isThrottle || rule.class === 'transient'
  return withoutGaps({
    class: rule.class,
    kind: rule.kind,
    effect: effectOf(observation, candidates),
    provider: hidden(context.provider),
    model: hidden(context.model),
    message,
    status,
    code,
    exitCode,
    signal,
    ...(waits ? waitOf(observation, context, isThrottle || winner.late, isThrottle) : {}),
    sessionId: hidden(observation.sessionId),
    costUsd: observation.costUsd,
    turns: observation.turns,
    evidence: evidenceOf(candidates),
    fingerprint: fingerprintOf({
      provider: context.provider,
      name: nameOf(observation),
      codes: [status, code, exitCode, signal],
      text: message,
    }),
    text: keptText(observation),
  })
}

/** A field that is not known is absent, never undefined: records and JSON stay free of noise. */
function withoutGaps(fields: { [field in keyof Failure]: Failure[field] | undefined }): Failure {
  const failure: Record<string, unknown> = {}
  for (const field in fields) {
    const value = fields[field as keyof Failure]
    if (value !== undefined) failure[field] = value
  }
  return failure as unknown as Failure
}

/**
 * The status that decided; else the one of the layer that decided; else the outermost on the way to it. What
 * else was tried and failed otherwise has its own.
 */
function statusOf(observation: Observation, winner: Candidate): number | undefined {
  const stated = observation.statuses.filter(status => !status.late)
  const decided = stated.find(({ where, value }) => where === winner.where && String(value) === winner.source)
  const layer = layerOf(winner.where)
  const beside = stated.find(({ where }) => layer !== '' && layerOf(where) === layer)
  const near = stated.filter(({ where }) => isOnTheWay(layerOf(where), layer))
  return (decided ?? beside ?? outermost(near) ?? outermost(stated))?.value
}

function outermost(statuses: readonly Status[]): Status | undefined {
  return statuses.reduce<Status | undefined>(
    (best, status) => (best && best.depth <= status.depth ? best : status),
    undefined,
  )
}

/** The object that a field stands in: `error.cause` for `error.cause.code`. */
function layerOf(where: string): string {
  return where.slice(0, Math.max(0, where.lastIndexOf('.')))
}

function isOnTheWay(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a)
}

const CODE_FIELD = /(?:^|\.)(?:code|errorCode|error_code|err_code|errcode|error_kind|errorKind|Code|reason)$/
const TYPE_FIELD = /(?:^|\.)(?:type|errorType|error_type|__type)$/
/** A number in a field of codes, as it was written down; a status has its own field. */
const NUMERIC_CODE = /^(?:code|error_code|err_code|errcode)=(-?\d+)$/
/** Words that stand where a code would and name nothing. */
const NO_CODE =
  /^(?:error|errors|failed|failure|fail|exception|null|undefined|none|unknown|true|false|ok|success|)$/

/** The code that decided, else the deepest one of its branch; a `type` counts as code only where it names an error. */
function codeOf(observation: Observation, winner: Candidate): string | undefined {
  const named = observation.words.flatMap(word => {
    const code = codeIn(word)
    return code === undefined ? [] : [{ ...word, code }]
  })
  const layer = layerOf(winner.where)
  const decided = named.find(word => word.where === winner.where && word.value === winner.source)
  const near = named.filter(word => isOnTheWay(layerOf(word.where), layer))
  const deepest = (near.length > 0 ? near : named).reduce<(typeof named)[number] | undefined>(
    (best, word) => (best && best.depth >= word.depth ? best : word),
    undefined,
  )
  return hidden((decided ?? deepest)?.code)
}

function codeIn({ where, value, raw }: Word): string | undefined {
  if (raw !== undefined) {
    const isCode =
      (CODE_FIELD.test(where) && !value.includes(' ')) ||
      (TYPE_FIELD.test(where) && /error|exception|limit|quota|denied|overload/.test(value))
    return isCode && !NO_CODE.test(value) ? raw : undefined
  }
  const digits = CODE_FIELD.test(where) ? NUMERIC_CODE.exec(value)?.[1] : undefined
  const isStatus = digits !== undefined && /^[1-5]\d\d$/.test(digits)
  return isStatus || digits === '0' ? undefined : digits
}

/** Names and ids come from outside as well: they may hold a secret or steer a terminal. */
function hidden(value: string | undefined): string | undefined {
  return value === undefined ? undefined : redact(oneLine(value))
}

function nameOf(observation: Observation): string | undefined {
  return observation.words.find(word => word.where.endsWith('name'))?.value
}

function keptText(observation: Observation): string | undefined {
  const text = trim(observation.texts.map(({ value }) => value).join('\n'), KEPT_TEXT * 2)
  return text === '' ? undefined : redact(withoutControls(text)).slice(0, KEPT_TEXT)
}
