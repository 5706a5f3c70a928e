import { basename } from 'node:path'
import { notAnOption } from '../../agent/arguments.ts'
import { runAgent } from '../../agent/run-agent.ts'
import type { AgentSettings } from '../../agent/settings.ts'
import type { CallContext } from '../../call/context.ts'
import type { CouncilMember } from '../../call/council-options.ts'
import { resolveText } from '../../config/reference.ts'
import type { CouncilConfig } from '../../config/schema/council.ts'
import type { ActingParts } from '../../daemon/config-parts.ts'
import { classify } from '../../failure/classify.ts'
import { KnownFailure } from '../../failure/own-error.ts'
import { present } from '../../failure/present.ts'
import { hideKnown } from '../../failure/redact.ts'
import { CommandLineError, splitCommandLine } from '../../process/command-line.ts'
import { run as runProgram } from '../../process/run.ts'
import { UsageError } from '../flag/arguments.ts'
import type { Terminal } from '../terminal.ts'

/** A member or an aggregator that can be asked. */
export interface Asker {
  /** The provider whose health it counts for. A program has none, because two members may share it with two models. */
  provider?: string
  model?: string
  ask(prompt: string, context: Pick<CallContext, 'signal'>): Promise<string>
}

/** Provider and model for the call of a member or an aggregator. */
export function servedBy({ provider, model }: Asker): { provider?: string; model?: string } {
  return present({ provider, model })
}

/** A council member with this prompt. */
export function memberOf(name: string, asker: Asker, prompt: string): CouncilMember<string> {
  return { name, ...servedBy(asker), ask: context => asker.ask(prompt, context) }
}

/** A program given on the command line. */
export function commandAsker(flag: string, line: string, terminal: Terminal): Asker {
  try {
    const [program, ...args] = splitCommandLine(line)
    if (program) return programAsker([program, ...args], terminal)
  } catch (error) {
    if (!(error instanceof CommandLineError)) throw error
    throw new UsageError(`${flag}: ${JSON.stringify(line)} is not a valid command: ${error.message}`)
  }
  throw new UsageError(`${flag} needs a command`)
}

/** A member or aggregator of a `[[council]]`: a provider with a CLI, or a program. */
export function configuredAsker(
  entry: Pick<CouncilConfig['members'][number], 'provider' | 'command' | 'model'>,
  { agents, classify }: ActingParts,
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
      return outcome.text.trim()
    },
  }
}

function modelOf(model: string | undefined, settings: AgentSettings): { model?: string } {
  const named = model ?? settings.model
  return named === undefined ? {} : { model: named }
}

/** Asks a program, and reads its output according to the program's name. Empty output is a failure. */
function programAsker(argv: readonly [string, ...string[]], terminal: Terminal): Asker {
  const [program, ...args] = argv
  return {
    ask: async (prompt, { signal }) => {
      const takesWord = args.includes('{prompt}')
      const result = await runProgram({
        argv: [program, ...args.map(word => (word === '{prompt}' ? notAnOption(prompt) : word))],
        cwd: terminal.cwd,
        env: terminal.env,
        signal,
        ...(takesWord ? {} : { stdin: prompt }),
      })
      const failure = classify(result, { provider: basename(program), now: terminal.now() })
      if (failure) throw new KnownFailure(failure, result)
      const answer = hideKnown(result.stdout.trim())
      if (answer === '') throw new Error('empty response')
      return answer
    },
  }
}
