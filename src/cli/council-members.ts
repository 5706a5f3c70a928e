import { basename } from 'node:path'
import { type AgentSettings, runAgent } from '../agent/index.ts'
import { type CallContext, type CouncilMember, KnownFailure } from '../call/index.ts'
import { type CouncilConfig, resolveText } from '../config/index.ts'
import { type RunResult, run as runProgram, WordsError, wordsOf } from '../process/index.ts'
import { UsageError } from './arguments.ts'
import type { Terminal } from './main.ts'
import type { Parts } from './runtime.ts'

/** What a member said: the text of an agent, or how a program ended. */
export type Said = string | RunResult

/** The answer in what a member said. */
export function answerOf(said: Said): string {
  return (typeof said === 'string' ? said : said.stdout).trim()
}

/** Someone who can be asked, and whose health it counts for. */
export interface Asker {
  provider: string
  model?: string
  ask(prompt: string, context: Pick<CallContext, 'signal'>): Promise<Said>
}

export function memberOf(name: string, { provider, model, ask }: Asker, prompt: string): CouncilMember<Said> {
  return { name, provider, ...(model === undefined ? {} : { model }), ask: context => ask(prompt, context) }
}

/** A program that is given on the command line. */
export function commandAsker(flag: string, line: string, terminal: Terminal): Asker {
  try {
    const [program, ...args] = wordsOf(line)
    if (program) return programAsker([program, ...args], terminal)
  } catch (error) {
    if (!(error instanceof WordsError)) throw error
    throw new UsageError(`${flag}: ${JSON.stringify(line)} is no command: ${error.message}`)
  }
  throw new UsageError(`${flag} needs a command`)
}

/** Who a member or aggregator of a `[[council]]` is: a provider with a CLI, or a program. */
export function configuredAsker(
  entry: Pick<CouncilConfig['members'][number], 'provider' | 'command' | 'model'>,
  { agents, classify }: Parts,
  terminal: Terminal,
): Asker {
  const { provider, command, model } = entry
  if (provider === undefined) {
    const [program = '', ...args] = (command ?? []).map(word => resolveText(word, { env: terminal.env }))
    return programAsker([program, ...args], terminal)
  }
  const settings = agents.get(provider)
  return {
    provider,
    ...modelOf(model, settings),
    ask: async (prompt, { signal }) => {
      const outcome = await runAgent(
        settings,
        { prompt, options: model === undefined ? {} : { model } },
        { signal, env: terminal.env, cwd: terminal.cwd, classify },
      )
      if (!outcome.ok) throw new KnownFailure(outcome.failure, outcome)
      return outcome.text
    },
  }
}

function modelOf(model: string | undefined, settings: AgentSettings): { model?: string } {
  const named = model ?? settings.model
  return named === undefined ? {} : { model: named }
}

/** How a program ended is classified by the call around it; saying nothing is no answer. */
function programAsker(argv: readonly [string, ...string[]], terminal: Terminal): Asker {
  const [program, ...args] = argv
  return {
    provider: basename(program),
    ask: async (prompt, { signal }) => {
      const takesWord = args.includes('{prompt}')
      const result = await runProgram({
        argv: [program, ...args.map(word => (word === '{prompt}' ? prompt : word))],
        cwd: terminal.cwd,
        env: terminal.env,
        signal,
        ...(takesWord ? {} : { stdin: prompt }),
      })
      if (result.exitCode === 0 && answerOf(result) === '') throw new Error('empty response')
      return result
    },
  }
}
