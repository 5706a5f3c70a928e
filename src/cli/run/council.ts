import { council } from '../../call/council.ts'
import type { CouncilEvent } from '../../call/council-event.ts'
import {
  type Aggregator,
  type CouncilMember,
  type CouncilOptions,
  FEWEST_ANSWERS,
} from '../../call/council-options.ts'
import { CouncilFailed, type CouncilResult } from '../../call/council-result.ts'
import type { CouncilConfig } from '../../config/schema/council.ts'
import type { ActingParts } from '../../daemon/config-parts.ts'
import { present } from '../../failure/present.ts'
import { nearestOrKnown } from '../../option/nearest.ts'
import { quietly } from '../../time/clean-up.ts'
import { durationInWords } from '../../verdict/duration-words.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { countFlag, durationFlag, positiveDurationFlag } from '../flag/flags.ts'
import { printAnswer } from '../print/print-answer.ts'
import { printJson } from '../print/print-json.ts'
import {
  RUNTIME_OPTIONS,
  RUNTIME_USAGE,
  type Runtime,
  unknownsOf,
  withActingRuntime,
  withRuntime,
} from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'
import { answersToJson } from './council-json.ts'
import { type Asker, commandAsker, configuredAsker, memberOf, servedBy } from './council-members.ts'

export const usage = `Usage: mulligan council (--council ID | --member NAME=CMD --member NAME=CMD …) [OPTIONS] -- PROMPT…

Asks several programs or agents the same question at once, each within its own budget, and prints all answers, or
the aggregator's single answer. Each program gets PROMPT on stdin, or in place of {prompt} in its command. With - as
PROMPT it is read from stdin. No shell is used.

  --council ID             a [[council]] of the config; the flags below override it
  --member NAME=CMD        a member: name and command line; give at least two
  --quorum N               stop waiting after N answers; default: all
  --budget D               time limit per member, including retries and waits, such as 5m; default 270s
  --min-retry-budget D     retry a member only with more than this left; default 30s
  --grace D                extra time for the rest after the quorum; default 0s
  --hard-cap D             time limit for everything; default: all phases plus 30s
  --aggregator CMD         gets a summary of all answers on stdin; only its answer is printed
  --aggregator-budget D    time limit of the aggregator; default 120s
  --json                   all answers and failures as JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 answered, 1 fewer than two members answered or the aggregator failed, 2 wrong usage, 124 the hard cap
passed, 130 aborted.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  council: { type: 'string' },
  member: { type: 'string', multiple: true },
  quorum: { type: 'string' },
  budget: { type: 'string' },
  'min-retry-budget': { type: 'string' },
  grace: { type: 'string' },
  'hard-cap': { type: 'string' },
  aggregator: { type: 'string' },
  'aggregator-budget': { type: 'string' },
  json: { type: 'boolean' },
} as const

const EXIT_CODES = { too_few: 1, hard_cap: 124, aborted: 130 } as const

type Numbers = Pick<
  CouncilOptions<string, string>,
  'quorum' | 'budgetMs' | 'graceMs' | 'hardCapMs' | 'minRetryBudgetMs'
>

/** The members and the limits. */
interface Plan {
  members: readonly CouncilMember<string>[]
  numbers: Numbers
  aggregator?: Aggregator<string, string>
}

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const prompt = await promptOf(positionals, terminal)
  const given = givenBy(values, prompt, terminal)
  if (values.council === undefined) checkMembers(given.members)
  const open = {
    onNoState: (problem: string) =>
      terminal.stderr(
        `mulligan council: running without shared state, so limits are not shared: ${problem}\n`,
      ),
  }
  const hold = async (runtime: Runtime, configured?: Plan) => {
    const unknowns = unknownsOf(runtime)
    const aggregator = given.aggregator ?? configured?.aggregator
    const options: CouncilOptions<string, string> = {
      prompt,
      signal: terminal.signal,
      health: runtime.health,
      classify: runtime.classify,
      onWarning: warning => terminal.stderr(`mulligan council: ${warning}\n`),
      onEvent: event => {
        progress(event, terminal)
        if (event.type === 'call') unknowns.onEvent(event.event)
      },
      ...configured?.numbers,
      ...given.numbers,
      ...present({ aggregator }),
    }
    try {
      return await held(configured?.members ?? given.members, options, values.json === true, terminal)
    } finally {
      await quietly(() => unknowns.written())
    }
  }
  const { council: id } = values
  // Members named on the command line are the user's own: only signatures and state come from the config.
  return id === undefined
    ? withRuntime(values, terminal, open, runtime => hold(runtime))
    : withActingRuntime(values, terminal, open, async runtime =>
        hold(runtime, configuredPlan(id, prompt, runtime, terminal)),
      )
}

/** Runs the council, and prints the result. */
async function held(
  members: readonly CouncilMember<string>[],
  options: CouncilOptions<string, string>,
  json: boolean,
  terminal: Terminal,
): Promise<number> {
  try {
    return printed(await council<string, string>(members, options), json, terminal)
  } catch (error) {
    if (!(error instanceof CouncilFailed)) throw error
    terminal.stderr(`mulligan council: ${error.message}\n`)
    if (json) printJson(terminal, { ...answersToJson(error.answers, asItIs), because: error.because })
    // Print paid answers even if they are too few.
    else if (error.answers.successes.length > 0) printAnswer(terminal, error.answers.summary)
    return EXIT_CODES[error.because]
  }
}

interface Flags {
  council?: string | undefined
  member?: string[] | undefined
  quorum?: string | undefined
  budget?: string | undefined
  'min-retry-budget'?: string | undefined
  grace?: string | undefined
  'hard-cap'?: string | undefined
  aggregator?: string | undefined
  'aggregator-budget'?: string | undefined
}

/** The plan from the flags; members and aggregator only if they name programs. */
function givenBy(flags: Flags, prompt: string, terminal: Terminal): Plan {
  if (flags.council !== undefined && flags.member !== undefined)
    throw new UsageError('use --council or --member, not both')
  const quorum = countFlag('--quorum', flags.quorum)
  const budgetMs = positiveDurationFlag('--budget', flags.budget)
  const minRetryBudgetMs = durationFlag('--min-retry-budget', flags['min-retry-budget'])
  const graceMs = durationFlag('--grace', flags.grace)
  const hardCapMs = positiveDurationFlag('--hard-cap', flags['hard-cap'])
  const aggregatorMs = positiveDurationFlag('--aggregator-budget', flags['aggregator-budget'])
  return {
    members: (flags.member ?? []).map(flag => memberByFlag(flag, prompt, terminal)),
    numbers: present({ quorum, budgetMs, minRetryBudgetMs, graceMs, hardCapMs }),
    ...(flags.aggregator === undefined
      ? {}
      : {
          aggregator: aggregatorOf(commandAsker('--aggregator', flags.aggregator, terminal), aggregatorMs),
        }),
  }
}

/** A `[[council]]` of the config. */
function configuredPlan(id: string, prompt: string, parts: ActingParts, terminal: Terminal): Plan {
  const { councils } = parts.loaded.config
  const found = councils.find(entry => entry.id === id)
  if (!found) {
    const names = councils.map(entry => entry.id)
    const remedy = nearestOrKnown(id, names, 'the config has no [[council]]')
    throw new UsageError(`unknown council ${JSON.stringify(id)}; ${remedy}`)
  }
  const { members, aggregator } = found
  return {
    members: members.map(entry => memberOf(entry.name, configuredAsker(entry, parts, terminal), prompt)),
    numbers: numbersOf(found),
    ...(aggregator
      ? { aggregator: aggregatorOf(configuredAsker(aggregator, parts, terminal), aggregator.budgetMs) }
      : {}),
  }
}

function numbersOf({ quorum, budgetMs, graceMs, hardCapMs, minRetryBudgetMs }: CouncilConfig): Numbers {
  return {
    budgetMs,
    graceMs,
    ...present({ quorum, hardCapMs }),
    minRetryBudgetMs,
  }
}

function aggregatorOf(asker: Asker, budgetMs: number | undefined): Aggregator<string, string> {
  return {
    aggregate: ({ summary }, context) => asker.ask(summary, context),
    ...servedBy(asker),
    ...present({ budgetMs }),
  }
}

async function promptOf(words: readonly string[], terminal: Terminal): Promise<string> {
  const prompt = words.length === 1 && words[0] === '-' ? await terminal.readStdin() : words.join(' ')
  if (prompt.trim() === '') throw new UsageError('no PROMPT; give it after --, or - to read it from stdin')
  return prompt
}

function memberByFlag(flag: string, prompt: string, terminal: Terminal): CouncilMember<string> {
  const [, name, line] = /^([^=\s]+)=(.*)$/s.exec(flag) ?? []
  if (name === undefined || line === undefined)
    throw new UsageError(`--member takes NAME=CMD, such as "sonnet=claude -p", not ${JSON.stringify(flag)}`)
  return memberOf(name, commandAsker(`--member ${name}`, line, terminal), prompt)
}

function checkMembers(members: readonly CouncilMember<unknown>[]): void {
  if (members.length < FEWEST_ANSWERS)
    throw new UsageError(`a council needs at least ${FEWEST_ANSWERS} members: --member NAME=CMD`)
  const twice = members.find(({ name }, index) => members.findIndex(other => other.name === name) !== index)
  if (twice) throw new UsageError(`two members are named ${JSON.stringify(twice.name)}; names must differ`)
}

const asItIs = (answer: string) => answer

function printed(result: CouncilResult<string, string>, json: boolean, terminal: Terminal): number {
  const { aggregation, summary } = result
  const failed = aggregation?.ok === false ? aggregation.failure : undefined
  if (failed) terminal.stderr(`mulligan council: the aggregator failed: ${failed.message}\n`)
  if (json) printJson(terminal, answersToJson(result, asItIs))
  // Paid answers are printed even if the aggregator failed.
  else printAnswer(terminal, aggregation?.ok ? aggregation.value : summary)
  return failed ? 1 : 0
}

function progress(event: CouncilEvent, terminal: Terminal): void {
  const line = lineOf(event)
  if (line !== undefined) terminal.stderr(`${line}\n`)
}

function lineOf(event: CouncilEvent): string | undefined {
  switch (event.type) {
    case 'member.settled':
      return `${event.member}: ${{ success: 'answered', failure: 'failed', aborted: 'aborted' }[event.as]}`
    case 'quorum.reached':
      return `quorum: ${event.successes} answered, ${event.pending} still at work${event.graceMs > 0 ? `, given ${durationInWords(event.graceMs)}` : ''}`
    case 'aggregating':
      return `aggregating ${event.successes} answers`
    case 'call': {
      const who = event.member ?? 'aggregator'
      if (event.event.type === 'attempt.failed')
        return `${who}: ${event.event.failure.class}/${event.event.failure.kind}: ${event.event.failure.message}`
      if (event.event.type === 'waiting')
        return `${who}: trying again in ${durationInWords(event.event.delayMs)}`
      return undefined
    }
  }
}
