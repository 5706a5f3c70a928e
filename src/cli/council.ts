import { basename } from 'node:path'
import {
  type CouncilEvent,
  CouncilFailed,
  type CouncilMember,
  type CouncilResult,
  council,
  FEWEST_ANSWERS,
  KnownFailure,
} from '../call/index.ts'
import { classify } from '../failure/index.ts'
import { type RunResult, run as runProgram, WordsError, wordsOf } from '../process/index.ts'
import { inWords } from '../verdict/index.ts'
import { parseArguments, UsageError } from './arguments.ts'
import { answersToJson } from './council-json.ts'
import { countFlag, lengthFlag, spanFlag } from './flags.ts'
import type { Terminal } from './main.ts'

export const usage = `Usage: mulligan council --member NAME=CMD --member NAME=CMD … [OPTIONS] -- PROMPT…

Asks several programs the same question at once, each within one budget, and prints who took part and what they
said, or the one answer that the aggregator made of it. PROMPT reaches each program on its stdin, or where its
command has the word {prompt}. With - as PROMPT it is read from stdin. No shell is involved.

  --member NAME=CMD        who is asked: a name and a command line, at least two times
  --quorum N               stop waiting after N answers; default: all
  --budget D               time for each member, tries and waits included; default 270s
  --grace D                time that stragglers have after the quorum; default 0s
  --hard-cap D             time for everything; default the sum of the phases and 30s
  --aggregator CMD         gets the summary of all answers on stdin; its answer alone is printed
  --aggregator-budget D    default 120s
  --json                   everything as JSON on stdout

Exit codes: 0 answered, 1 fewer than two members answered or the aggregator failed, 2 wrong usage, 124 the hard cap
passed, 130 aborted.`

const OPTIONS = {
  member: { type: 'string', multiple: true },
  quorum: { type: 'string' },
  budget: { type: 'string' },
  grace: { type: 'string' },
  'hard-cap': { type: 'string' },
  aggregator: { type: 'string' },
  'aggregator-budget': { type: 'string' },
  json: { type: 'boolean' },
} as const

const EXIT_CODES = { too_few: 1, hard_cap: 124, aborted: 130 } as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const prompt = await promptOf(positionals, terminal)
  const members = (values.member ?? []).map(flag => memberOf(flag, prompt, terminal))
  checkMembers(members)
  const quorum = countFlag('--quorum', values.quorum)
  const budgetMs = spanFlag('--budget', values.budget)
  const graceMs = lengthFlag('--grace', values.grace)
  const hardCapMs = spanFlag('--hard-cap', values['hard-cap'])
  const aggregatorMs = spanFlag('--aggregator-budget', values['aggregator-budget'])
  const aggregator =
    values.aggregator === undefined ? undefined : commandOf('--aggregator', values.aggregator)
  try {
    const result = await council<RunResult, RunResult>(members, {
      prompt,
      textOf: answerOf,
      signal: terminal.signal,
      onWarning: warning => terminal.stderr(`mulligan council: ${warning}\n`),
      onEvent: event => progress(event, terminal),
      ...(quorum === undefined ? {} : { quorum }),
      ...(budgetMs === undefined ? {} : { budgetMs }),
      ...(graceMs === undefined ? {} : { graceMs }),
      ...(hardCapMs === undefined ? {} : { hardCapMs }),
      ...(aggregator === undefined
        ? {}
        : {
            aggregator: {
              aggregate: ({ summary }, { signal }) => asked(aggregator, summary, signal, terminal),
              ...(aggregatorMs === undefined ? {} : { budgetMs: aggregatorMs }),
            },
          }),
    })
    return printed(result, values.json === true, terminal)
  } catch (error) {
    if (!(error instanceof CouncilFailed)) throw error
    terminal.stderr(`mulligan council: ${error.message}\n`)
    if (values.json)
      terminal.stdout(
        `${JSON.stringify({ ...answersToJson(error.answers, answerOf), because: error.because })}\n`,
      )
    return EXIT_CODES[error.because]
  }
}

async function promptOf(words: readonly string[], terminal: Terminal): Promise<string> {
  const prompt = words.length === 1 && words[0] === '-' ? await terminal.readStdin() : words.join(' ')
  if (prompt.trim() === '')
    throw new UsageError('there is nothing to ask: give the PROMPT after --, or - to read it from stdin')
  return prompt
}

function memberOf(flag: string, prompt: string, terminal: Terminal): CouncilMember<RunResult> {
  const [, name, line] = /^([^=\s]+)=(.*)$/s.exec(flag) ?? []
  if (name === undefined || line === undefined)
    throw new UsageError(`--member takes NAME=CMD, such as "sonnet=claude -p", not ${JSON.stringify(flag)}`)
  const argv = commandOf(`--member ${name}`, line)
  return { name, ask: ({ signal }) => asked(argv, prompt, signal, terminal) }
}

function checkMembers(members: readonly CouncilMember<unknown>[]): void {
  if (members.length < FEWEST_ANSWERS)
    throw new UsageError(`a council needs at least ${FEWEST_ANSWERS} times --member NAME=CMD`)
  const twice = members.find(({ name }, index) => members.findIndex(other => other.name === name) !== index)
  if (twice) throw new UsageError(`two members are called ${JSON.stringify(twice.name)}; names must differ`)
}

function commandOf(flag: string, line: string): [string, ...string[]] {
  try {
    const [program, ...args] = wordsOf(line)
    if (program) return [program, ...args]
  } catch (error) {
    if (!(error instanceof WordsError)) throw error
    throw new UsageError(`${flag}: ${JSON.stringify(line)} is no command: ${error.message}`)
  }
  throw new UsageError(`${flag} needs a command`)
}

/**
 * Runs a program with the question. Its name tells how its output is to be read; no health is kept under it, for
 * two members may well be one program with two models. Saying nothing is no answer.
 */
async function asked(
  argv: readonly [string, ...string[]],
  prompt: string,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<RunResult> {
  const [program, ...args] = argv
  const takesWord = args.includes('{prompt}')
  const result = await runProgram({
    argv: [program, ...args.map(word => (word === '{prompt}' ? prompt : word))],
    cwd: terminal.cwd,
    env: terminal.env,
    signal,
    ...(takesWord ? {} : { stdin: prompt }),
  })
  const failure = classify(result, { provider: basename(program), now: terminal.now() })
  if (failure) throw new KnownFailure(failure, result)
  if (answerOf(result) === '') throw new Error('empty response')
  return result
}

function answerOf({ stdout }: RunResult): string {
  return stdout.trim()
}

function printed(result: CouncilResult<RunResult, RunResult>, json: boolean, terminal: Terminal): number {
  const { aggregation, summary } = result
  const failed = aggregation?.ok === false ? aggregation.failure : undefined
  if (failed) terminal.stderr(`mulligan council: the aggregator failed: ${failed.message}\n`)
  if (json) terminal.stdout(`${JSON.stringify(answersToJson(result, answerOf))}\n`)
  // What was paid for is printed even if nobody made one answer of it.
  else terminal.stdout(`${aggregation?.ok ? answerOf(aggregation.value) : summary}\n`)
  return failed ? 1 : 0
}

function progress(event: CouncilEvent, terminal: Terminal): void {
  const line = lineOf(event)
  if (line !== undefined) terminal.stderr(`${line}\n`)
}

function lineOf(event: CouncilEvent): string | undefined {
  switch (event.type) {
    case 'member.settled':
      return `${event.member}: ${{ success: 'answered', failure: 'failed', aborted: 'called off' }[event.as]}`
    case 'quorum.reached':
      return `quorum: ${event.successes} answered, ${event.pending} still at work${event.graceMs > 0 ? `, given ${inWords(event.graceMs)}` : ''}`
    case 'aggregating':
      return `aggregating ${event.successes} answers`
    case 'call': {
      const who = event.member ?? 'aggregator'
      if (event.event.type === 'attempt.failed')
        return `${who}: ${event.event.failure.class}/${event.event.failure.kind}: ${event.event.failure.message}`
      if (event.event.type === 'waiting') return `${who}: trying again in ${inWords(event.event.delayMs)}`
      return undefined
    }
  }
}
