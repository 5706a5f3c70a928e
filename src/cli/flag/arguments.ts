import type { ParseArgsConfig } from 'node:util'
import { nearest } from '../../option/nearest.ts'

/** Wrong usage. The message names the flag and the fix. Exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}

type Options = NonNullable<ParseArgsConfig['options']>

/** One command: its flags for `parseArgs`, and its usage line. */
export interface CommandSpec<O extends Options> {
  usage: string
  options: O
}

/** Parses the arguments of a command. Answers an unknown flag with the nearest known one. */
export function parseArguments<const O extends Options>(argv: readonly string[], spec: CommandSpec<O>) {
  // Importing node:util would also load all that it offers, workers and diffs among them.
  const { parseArgs } = process.getBuiltinModule('node:util')
  try {
    return parseArgs({
      args: withNumbers(argv, spec.options),
      options: spec.options,
      allowPositionals: true,
      allowNegative: false,
    })
  } catch (error) {
    throw new UsageError(explain(error as Error & { code?: string }, Object.keys(spec.options)))
  }
}

/** A negative number after a flag that takes a value is that value, not a flag. */
function withNumbers(argv: readonly string[], options: Options): string[] {
  const args: string[] = []
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length
  argv.forEach((word, index) => {
    const flag = argv[index - 1] ?? ''
    const takesValue = flag.startsWith('--') && options[flag.slice(2)]?.type === 'string'
    if (index < end && takesValue && /^-\d/.test(word)) args[args.length - 1] = `${flag}=${word}`
    else args.push(word)
  })
  return args
}

function explain(error: Error & { code?: string }, known: readonly string[]): string {
  const flag = /'(--?[\w-]+)/.exec(error.message)?.[1]
  if (error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && flag) {
    const guess = nearestFlag(flag.replace(/^-+/, ''), [...known, 'help'])
    return `unknown option ${flag}${guess ? `; did you mean --${guess}?` : ''}`
  }
  if (error.code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' && flag) {
    if (/does not take/.test(error.message)) return `${flag} takes no value`
    const how = /ambiguous/.test(error.message) ? `; one that begins with "-" is written ${flag}=-…` : ''
    return `${flag} needs a value${how}`
  }
  return error.message.replace(/\. To specify.*$/s, '').replace(/^Option/, 'option')
}

/** The nearest flag, or the only one that begins alike (`retry`, `retries`) or has it as a part (`port`, `http-port`). */
function nearestFlag(name: string, known: readonly string[]): string | undefined {
  const prefix = name.slice(0, Math.max(3, Math.ceil(name.length * 0.6)))
  const only = (flags: readonly string[]) => (flags.length === 1 ? flags[0] : undefined)
  return (
    nearest(name, known) ??
    only(known.filter(flag => flag.startsWith(prefix))) ??
    only(known.filter(flag => flag.split('-').includes(name)))
  )
}
