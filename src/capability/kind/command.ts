import { present } from '../../failure/present.ts'
import { quote } from '../../failure/quote.ts'
import { type ProcessResult, run } from '../../process/run.ts'
import type { VerifyContext, WorkContext } from '../context.ts'
import { fail } from '../settings.ts'
import {
  fill,
  paramOf,
  paramsIn,
  problemOfPlaceholders,
  type Template,
  templateOf,
  textOf,
  variablesIn,
} from '../template.ts'
import { problemOfCode, problemOfVariables } from './code-injection.ts'
import { WorkingFolder } from './working-folder.ts'

/** The largest stdout of a result, in bytes: 10 MiB. A larger one is cut in the middle. */
export const OUTPUT_LIMIT_DEFAULT_BYTES = 10_485_760

/** A program and how it gets its parameters. No shell is used. */
export interface CommandSpec {
  /** Program and arguments; `{name}` is replaced by a parameter. An argument with a missing parameter is left out. */
  argv: readonly string[]
  /** Environment variables for the program, added to what it inherits. */
  env?: Readonly<Record<string, string>>
  /** Which of the runner's variables the program sees: all, none, or those named. Never Mulligan's own key. Default true. */
  inheritEnv?: boolean | readonly string[]
  /** Working folder. Default: the runner's. */
  cwd?: string
  /** Text for its stdin. Default: empty. */
  stdin?: string
}

/** A checked command, ready to run with parameters. */
export interface Command {
  readonly variables: readonly string[]
  problems(params: unknown): string[]
  start(params: unknown, context: VerifyContext & Partial<WorkContext>): Promise<ProcessResult>
}

interface CommandFacts {
  /** Names the capability in errors. */
  capability: string
  /** Names of its parameters, if the schema tells. */
  known: readonly string[] | undefined
  secrets: readonly string[]
  /** Folder that a relative `cwd` starts from. Default: the runner's. */
  base?: string | undefined
  outputLimitBytes?: number | undefined
}

/** Checks and prepares a command. Throws a CapabilityError that says what would be right. */
export function commandOf(spec: CommandSpec, facts: CommandFacts): Command {
  const { capability, known, secrets, base, outputLimitBytes = OUTPUT_LIMIT_DEFAULT_BYTES } = facts
  if (
    !Array.isArray(spec.argv) ||
    spec.argv.length === 0 ||
    !spec.argv.every(word => typeof word === 'string')
  )
    fail(capability, `argv must be a list of the program and its arguments, not ${quote(spec.argv)}`)
  const [program, ...args] = spec.argv.map(templateOf) as [Template, ...Template[]]
  const env = Object.entries(spec.env ?? {}).map(([name, value]) => [name, templateOf(value)] as const)
  const cwd = spec.cwd === undefined ? undefined : templateOf(spec.cwd)
  const folder = cwd && new WorkingFolder(cwd, base)
  const stdin = spec.stdin === undefined ? undefined : templateOf(spec.stdin)
  const all = [
    program,
    ...args,
    ...env.map(([, template]) => template),
    ...(cwd ? [cwd] : []),
    ...(stdin ? [stdin] : []),
  ]
  if (program.source === '' || paramsIn(program).length > 0)
    fail(capability, `argv[0] must name the program itself, not ${quote(program.source)}`)
  for (const template of all) {
    const problem = problemOfPlaceholders(template, known)
    if (problem) fail(capability, problem)
  }
  const asCode = problemOfCode([program, ...args], stdin) ?? problemOfVariables(env)
  if (asCode !== undefined) fail(capability, asCode)
  const visible = args.flatMap(paramsIn).find(name => secrets.includes(name))
  if (visible !== undefined)
    fail(
      capability,
      `the secret {${visible}} is in argv, which every user of the machine can read; pass it by env or stdin`,
    )
  return {
    variables: all.flatMap(variablesIn),
    problems: params => [
      ...args.flatMap((word, index) => problemOfWord(word, params, args.slice(0, index)) ?? []),
      ...[folder?.problem(params)].filter(problem => problem !== undefined),
    ],
    start: (params, context) => {
      const values = { params, env: context.env }
      const words = [program, ...args].flatMap(word => fill(word, values) ?? [])
      const at = folder?.folder(values)
      const input = stdin && fill(stdin, values)
      const set = env.flatMap(([name, template]) => {
        const value = fill(template, values)
        return value === undefined ? [] : [[name, value] as const]
      })
      return run({
        argv: words as [string, ...string[]],
        env: {
          ...inherited(context.env, spec.inheritEnv ?? true),
          ...factsFor(context),
          ...Object.fromEntries(set),
        },
        ...present({ cwd: at, stdin: input }),
        keep: { headBytes: outputLimitBytes },
        signal: context.signal,
      })
    },
  }
}

/** A parameter must not turn a word into something its author did not mean: an option, or an invalid argument. */
function problemOfWord(word: Template, params: unknown, before: readonly Template[]): string | undefined {
  for (const name of paramsIn(word)) {
    const value = paramOf(params, name)
    if (typeof value === 'string' && value.includes('\0')) return `${name}: contains a NUL character`
  }
  if (before.some(({ source }) => source === '--')) return undefined
  const name = firstParam(word, params)
  const value = name === undefined ? undefined : paramOf(params, name)
  if (name === undefined || !textOf(value).startsWith('-')) return undefined
  return `${name}: begins with "-" and would be read as an option; put "--" before it in argv, or join them as in "--name={${name}}"`
}

/** The parameter that the word begins with; those before it may be empty. */
function firstParam({ parts }: Template, params: unknown): string | undefined {
  for (const part of parts) {
    if (!('param' in part)) return undefined
    const value = paramOf(params, part.param)
    // If one of its parameters is missing, the whole word is left out.
    if (value === undefined || value === null) return undefined
    if (textOf(value) !== '') return part.param
  }
  return undefined
}

function inherited(
  env: Readonly<Record<string, string | undefined>>,
  which: boolean | readonly string[],
): Record<string, string | undefined> {
  if (which === false) return {}
  const names = which === true ? Object.keys(env) : which
  return Object.fromEntries(names.map(name => [name, env[name]] as const))
}

/** What the program needs to avoid doing things twice. */
function factsFor({
  idempotencyKey,
  run,
  attempt,
}: VerifyContext & Partial<WorkContext>): Record<string, string> {
  return {
    MULLIGAN_IDEMPOTENCY_KEY: idempotencyKey,
    MULLIGAN_RUN: String(run),
    ...(attempt === undefined ? {} : { MULLIGAN_ATTEMPT: String(attempt) }),
  }
}
