import type { ClassifyContext } from './context.ts'
import { effectOf } from './effect.ts'
import { evidenceOf } from './evidence.ts'
import type { Failure } from './failure.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { Observation } from './observe/observation.ts'
import type { Candidate } from './precedence.ts'
import { redact } from './redact.ts'
import { trim } from './text/trim.ts'
import { waitOf } from './times/wait.ts'

const LONGEST_MESSAGE = 300
const KEPT_TEXT = 8_192

/** Puts a Failure together from what was observed and the candidates, the decisive one first. */
export function buildFailure(observation: Observation, candidates: readonly Candidate[], context: ClassifyContext): Failure {
  const winner = candidates[0] as Candidate
  const { rule } = winner
  const message = messageOf(observation, winner)
  const code = codeOf(observation, winner)
  const status = statusOf(observation)
  const { process } = observation
  const text = redact(trim(textOf(observation), KEPT_TEXT * 2)).slice(0, KEPT_TEXT)
  return {
    class: rule.class,
    kind: rule.kind,
    effect: effectOf(observation, rule),
    ...(context.provider === undefined ? {} : { provider: context.provider }),
    ...(context.model === undefined ? {} : { model: context.model }),
    message,
    ...(status === undefined ? {} : { status }),
    ...(code === undefined ? {} : { code }),
    ...(process?.exitCode == null ? {} : { exitCode: process.exitCode }),
    ...(process?.signal == null ? {} : { signal: process.signal }),
    ...(rule.class === 'throttle' || rule.class === 'transient' ? waitOf(observation, context.now, context.timeZone) : {}),
    ...(observation.sessionId === undefined ? {} : { sessionId: observation.sessionId }),
    ...(observation.costUsd === undefined ? {} : { costUsd: observation.costUsd }),
    ...(observation.turns === undefined ? {} : { turns: observation.turns }),
    evidence: evidenceOf(candidates),
    fingerprint: fingerprintOf({ provider: context.provider, name: nameOf(observation), text: message }),
    ...(text === '' ? {} : { text }),
  }
}

/** One line for a reader: the line that decided, else the first thing that was said. */
function messageOf(observation: Observation, winner: Candidate): string {
  const said = winner.source.includes(' ') ? lineAround(winner.source, winner.at) : undefined
  const first = observation.texts.find(text => !text.late) ?? observation.texts[0]
  const line = said ?? (first ? firstLine(first.value) : undefined) ?? describe(observation, winner)
  const clean = redact(line.replaceAll(/\s+/g, ' ').trim())
  return clean.length > LONGEST_MESSAGE ? `${cut(clean, LONGEST_MESSAGE - 1)}…` : clean
}

function lineAround(text: string, at: number): string {
  const from = text.lastIndexOf('\n', Math.max(0, at - 1)) + 1
  const to = text.indexOf('\n', at)
  return text.slice(from, to < 0 ? text.length : to)
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] as string
}

function describe(observation: Observation, { rule }: Candidate): string {
  const { process } = observation
  if (process?.signal) return `ended by ${process.signal}`
  if (process && process.exitCode !== null) return `exited with ${process.exitCode} and said nothing`
  const status = statusOf(observation)
  return status === undefined ? rule.why : `HTTP ${status}`
}

/** Never leaves half of a surrogate pair behind. */
function cut(text: string, length: number): string {
  const end = /[\ud800-\udbff]/.test(text[length - 1] ?? '') ? length - 1 : length
  return text.slice(0, end)
}

function statusOf(observation: Observation): number | undefined {
  const stated = observation.statuses.filter(status => !status.late)
  return stated.reduce((best, status) => (best === undefined || status.depth < best.depth ? status : best), stated[0])?.value
}

/** The code that decided, else the deepest code-like word. */
function codeOf(observation: Observation, winner: Candidate): string | undefined {
  const candidates = observation.words.filter(word => word.raw !== undefined && /\.(?:code|errorCode|error_code|type|reason)$|^(?:code|type)$/.test(word.where))
  const decided = candidates.find(word => word.where === winner.where && word.raw === winner.source)
  const deepest = candidates.reduce((best, word) => (best === undefined || word.depth > best.depth ? word : best), candidates[0])
  const raw = (decided ?? deepest)?.raw
  return raw === undefined ? undefined : redact(raw)
}

function nameOf(observation: Observation): string | undefined {
  return observation.words.find(word => word.where.endsWith('name'))?.value
}

function textOf(observation: Observation): string {
  return observation.texts.map(({ value }) => value).join('\n')
}
