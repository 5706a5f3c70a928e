import { statementsIn } from './fingerprint/fingerprint.ts'
import type { Observation, Text } from './observe/observation.ts'
import type { Candidate } from './precedence.ts'
import type { Redactor } from './redact.ts'
import { cutAt } from './text/cut.ts'
import { oneLine } from './text/printable.ts'

const LONGEST = 300

/**
 * One redacted line for people: what the deciding layer said. If an error wraps it, the outermost text comes first:
 * "LLM call failed: read ECONNRESET" names both the place and the cause.
 */
export function messageOf(observation: Observation, winner: Candidate, redactor: Redactor): string {
  return isUnrecognised(winner)
    ? asMessage(statementIn(observation, redactor) ?? sayingOf(observation, winner, redactor), redactor)
    : firstMessageOf(observation, winner, redactor)
}

/** The message as it was when fingerprints were made of it: its first line, even if that is a banner. */
export function firstMessageOf(observation: Observation, winner: Candidate, redactor: Redactor): string {
  return asMessage(sayingOf(observation, winner, redactor), redactor)
}

/** True if no rule matched, so that nothing says which line decides. */
function isUnrecognised({ rule, where }: Candidate): boolean {
  return rule.class === 'unknown' && where === 'input'
}

/** The statement that carries the failure, if the text has more than one line. */
function statementIn(observation: Observation, redactor: Redactor): string | undefined {
  const spoken = spokenIn(observation)
  if (
    !spoken.some(({ value }) => value.trim().includes('\n')) ||
    spoken.some(({ value }) => /<\w/.test(value))
  )
    return undefined
  const statements = statementsIn(
    spoken.map(({ value, depth }) => ({ value: redactor.redact(value), depth })),
  )
  return statements[0]?.isSpecific ? statements.map(({ text }) => text).join(': ') : undefined
}

/** Texts that count: the final ones, else what was said on the way. */
export function spokenIn({ texts }: Observation): readonly Text[] {
  const final = texts.filter(({ late }) => !late)
  return final.length > 0 ? final : texts
}

function sayingOf(observation: Observation, winner: Candidate, redactor: Redactor): string {
  const spoken = observation.texts.filter(text => text.late === winner.late)
  const deciding = winner.structured
    ? layerText(spoken, winner.where, redactor)
    : lineAround(winner.source, winner.at, redactor)
  const outer = outermost(spoken)
  const wraps = outer?.where.startsWith('error') ?? false
  const wrapper = (wraps || !deciding) && outer ? firstLine(outer.value, redactor).trim() : ''
  const said = deciding?.trim() ?? ''
  return (wrapper === '' && said === '') || winner.where === 'caller'
    ? describe(observation, winner, redactor)
    : joined(wrapper, said)
}

/** Turns a text into a failure message: one line, redacted before and after it is rewritten, cut to a readable length. */
export function asMessage(text: string, redactor: Pick<Redactor, 'redact'>): string {
  const clean = redactor.redact(oneLine(redactor.redact(text)))
  return clean.length > LONGEST ? `${cutAt(clean, LONGEST - 1)}…` : clean
}

function outermost(texts: readonly Text[]): Text | undefined {
  return texts.reduce<Text | undefined>(
    (best, text) => (best && best.depth <= text.depth ? best : text),
    undefined,
  )
}

/** Both lines, unless one repeats the other. */
function joined(outer: string, inner: string): string {
  if (inner === '') return outer
  if (outer.includes(inner)) return inner
  return inner.includes(outer) ? inner : `${outer}: ${inner}`
}

/** The text of the layer that a field belongs to: `error.cause.message` for `error.cause.code`. */
function layerText(texts: readonly Text[], where: string, redactor: Redactor): string | undefined {
  const layer = where.slice(0, where.lastIndexOf('.') + 1)
  const isOfLayer = (text: Text) =>
    text.where.startsWith(layer) && !text.where.slice(layer.length).includes('.')
  const found = layer === '' ? undefined : texts.find(isOfLayer)
  return found && firstLine(found.value, redactor)
}

// A line is cut from a text whose secrets are already hidden: markup and other lines show where they are.

function lineAround(text: string, at: number, redactor: Redactor): string {
  const from = text.lastIndexOf('\n', Math.max(0, at - 1)) + 1
  const to = text.indexOf('\n', at)
  return withoutTags(redactor.part(text, from, to < 0 ? text.length : to))
}

function firstLine(text: string, redactor: Redactor): string {
  const title = text.includes('<') ? /<title>([^<]{1,200})/i.exec(text) : null
  if (title) {
    const end = title.index + title[0].length
    return redactor.part(text, end - (title[1] as string).length, end)
  }
  const from = text.length - text.trimStart().length
  const to = text.indexOf('\n', from)
  return withoutTags(redactor.part(text, from, to < 0 ? text.length : to).trimEnd())
}

/** Removes markup. A line that is only one thing in angle brackets is not markup: Python prints some errors like that. */
function withoutTags(line: string): string {
  if (!line.includes('<')) return line
  const bare = line.replaceAll(/<\/?[a-z][^<>]{0,200}>/gi, ' ')
  return bare.trim() === '' ? line.replaceAll(/[<>]/g, '') : bare
}

function describe(observation: Observation, winner: Candidate, redactor: Redactor): string {
  const { rule } = winner
  const { process } = observation
  const outer = outermost(observation.texts)
  // What a process printed before we stopped it is its work, not the reason it was stopped.
  if (rule.origin !== undefined && rule.why !== undefined && (process || !outer)) return rule.why
  if (outer) return firstLine(outer.value, redactor)
  if (process?.signal) return `ended by ${process.signal}`
  if (process && process.exitCode !== null) return `exited with ${process.exitCode} and said nothing`
  const status = observation.statuses[0]?.value
  if (status !== undefined) return `HTTP ${status}`
  const flag = observation.words.find(({ value }) => SAYS_FAILED.test(value))
  if (flag) return `it returned ${flag.value}`
  return rule.why ?? asWritten(observation, winner)
}

/** The code or name that decided, as the input has it. */
function asWritten({ words }: Observation, { source, at, end, where }: Candidate): string {
  const value = source.slice(at, end)
  return words.find(word => word.where === where && word.value === value)?.raw ?? value
}

/** All that some results say about their failure. */
const SAYS_FAILED = /^(?:success=false|ok=false|is_error=true)$/
