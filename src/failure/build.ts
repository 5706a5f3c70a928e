import type { ClassifyContext } from './context.ts'
import { effectOf } from './effect.ts'
import { evidenceOf } from './evidence.ts'
import type { Failure } from './failure.ts'
import { fingerprintOf } from './fingerprint.ts'
import { messageOf } from './message.ts'
import type { Observation, Word } from './observe/observation.ts'
import type { Candidate } from './precedence.ts'
import { redact } from './redact.ts'
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
  const waits = rule.class === 'throttle' || rule.class === 'transient'
  return withoutGaps({
    class: rule.class,
    kind: rule.kind,
    effect: effectOf(observation, candidates),
    provider: context.provider,
    model: context.model,
    message,
    status: statusOf(observation),
    code: codeOf(observation, winner),
    exitCode: process?.exitCode ?? undefined,
    signal: process?.signal ?? undefined,
    ...(waits ? waitOf(observation, context, rule.class === 'throttle' || winner.late) : {}),
    sessionId: observation.sessionId,
    costUsd: observation.costUsd,
    turns: observation.turns,
    evidence: evidenceOf(candidates),
    fingerprint: fingerprintOf({ provider: context.provider, name: nameOf(observation), text: message }),
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

/** The status of the outermost answer; what it wraps is told by kind and evidence. */
function statusOf(observation: Observation): number | undefined {
  const stated = observation.statuses.filter(status => !status.late)
  return stated.reduce((best, status) => (best && best.depth <= status.depth ? best : status), stated[0])
    ?.value
}

const CODE_FIELD = /(?:^|\.)(?:code|errorCode|error_code|err_code|Code|reason)$/
const TYPE_FIELD = /(?:^|\.)(?:type|errorType|error_type|__type)$/

/** The code that decided, else the deepest one; a `type` counts as code only where it names an error. */
function codeOf(observation: Observation, winner: Candidate): string | undefined {
  const named = observation.words.filter(word => word.raw !== undefined && isCode(word))
  const decided = named.find(word => word.where === winner.where && word.value === winner.source)
  const deepest = named.reduce<Word | undefined>(
    (best, word) => (best && best.depth >= word.depth ? best : word),
    undefined,
  )
  const raw = (decided ?? deepest)?.raw
  return raw === undefined ? undefined : redact(raw)
}

function isCode({ where, value }: Word): boolean {
  return (
    (CODE_FIELD.test(where) && !value.includes(' ')) ||
    (TYPE_FIELD.test(where) && /error|exception|limit|quota|denied|overload/.test(value))
  )
}

function nameOf(observation: Observation): string | undefined {
  return observation.words.find(word => word.where.endsWith('name'))?.value
}

function keptText(observation: Observation): string | undefined {
  const text = observation.texts.map(({ value }) => value).join('\n')
  return text === '' ? undefined : redact(trim(text, KEPT_TEXT * 2)).slice(0, KEPT_TEXT)
}
