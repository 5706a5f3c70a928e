import { waitInWords } from '../../daemon/words/failure-words.ts'
import { classify } from '../../failure/classify.ts'
import { whyOfRule } from '../../failure/explain.ts'
import type { Failure } from '../../failure/failure.ts'
import { failureToJson } from '../../failure/json.ts'
import { SPEAKERS, type Speaker } from '../../failure/speaker.ts'
import { durationInWords } from '../../verdict/duration-words.ts'
import { longestTimeMs } from '../../verdict/heard.ts'
import { printJson } from '../print/print-json.ts'
import type { Terminal } from '../terminal.ts'
import { readFailureInputs } from './input.ts'

export const usage = 'Usage: mulligan explain [FILE…|-] [OPTIONS]'

/** The page that classify, explain and decide share. Apart, because classifying must start fast. */
export const usageOf = async (): Promise<string> => (await import('./decide.ts')).usage

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { inputs, json } = await readFailureInputs(argv, usage, terminal)
  for (const { name, input, context } of inputs) {
    const failure = classify(input, context)
    if (json) {
      const why = failure ? whyOfRule(failure.evidence.rule) : undefined
      printJson(terminal, failure === null ? null : { ...failureToJson(failure), why })
    } else {
      const title = inputs.length > 1 ? `${name}\n` : ''
      terminal.stdout(`${title}${failure === null ? 'This is not a failure.\n' : explanationOf(failure)}`)
    }
  }
  return 0
}

const CLASS_IN_WORDS: Record<Failure['class'], string> = {
  throttle: 'a usage limit was reached; another provider would work',
  transient: 'will probably succeed if repeated soon',
  timeout: 'a deadline passed',
  permanent: 'fails the same way until something changes',
  rail: 'a limit you set stopped it',
  aborted: 'a person or the program cancelled it',
  unknown: 'no rule recognises it',
}

function spokenBy(speaker: Speaker, backer: Speaker | undefined): string {
  return `${speaker}${backer ? `, backed by ${backer}` : ''}: ${SPEAKERS[speaker].who}`
}

/** How far a stated time is believed, where that is less than what was said. */
function asHeard(failure: Failure): string {
  const longestMs = longestTimeMs(failure)
  if ((failure.retryAfterMs ?? 0) <= longestMs) return ''
  return longestMs === 0 ? '; not believed' : `; believed for ${durationInWords(longestMs)} at most`
}

/** The failure and its evidence, for people. */
export function explanationOf(failure: Failure): string {
  const { rule, where, excerpt, speaker, backer, clock, lost } = failure.evidence
  const why = whyOfRule(rule)
  const wait = waitInWords(failure)
  const spent = [
    failure.turns === undefined ? undefined : `${failure.turns} turns`,
    failure.costUsd === undefined ? undefined : `${failure.costUsd} US dollars`,
    failure.sessionId === undefined ? undefined : `session ${failure.sessionId}`,
  ].filter(part => part !== undefined)
  const lines = [
    `${failure.class}/${failure.kind}: ${CLASS_IN_WORDS[failure.class]}.`,
    `  Message        ${failure.message}`,
    `  Decided by     ${rule}${why ? `: ${why}` : ''}`,
    ...(excerpt ? [`  Seen in        ${where}: ${JSON.stringify(excerpt)}`] : []),
    ...(speaker ? [`  Said by        ${spokenBy(speaker, backer)}`] : []),
    `  Works again    ${wait ?? 'not stated'}${wait && clock && clock !== speaker ? ` (said by ${clock})` : ''}${asHeard(failure)}`,
    `  Effect         ${failure.effect}`,
    ...(spent.length > 0 ? [`  Already spent  ${spent.join(', ')}`] : []),
    ...lost.map(
      ({ rule: other, excerpt: seen, speaker: by }, index) =>
        `  ${index === 0 ? 'Also matched ' : '             '}  ${other}${by ? ` (${by})` : ''}${seen ? `: ${JSON.stringify(seen)}` : ''}`,
    ),
    `  Fingerprint    ${failure.fingerprint}`,
    '',
  ]
  return lines.join('\n')
}
