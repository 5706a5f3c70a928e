import { Secrets } from '../capability/secret/secrets.ts'
import { nearest } from '../config/nearest.ts'
import { parseArguments, UsageError } from './arguments.ts'
import { EXIT_USAGE } from './exit-code.ts'
import { countFlag, dueFlag, integerFlag, positiveDurationFlag } from './flags.ts'
import type { Terminal } from './main.ts'
import { PARAMS_OPTIONS, PARAMS_USAGE, paramsOf } from './params.ts'
import { OWN_CAPABILITIES, type QueueRuntime, withQueue } from './queue-runtime.ts'
import { RUNTIME_OPTIONS, RUNTIME_USAGE } from './runtime.ts'
import { submitAndPrint } from './submit-and-print.ts'

export const usage = `Usage: mulligan submit CAPABILITY [--param NAME=VALUE… | --params JSON] [OPTIONS]

Writes an operation down, to be run by a runner that has the capability. Prints its id.

${PARAMS_USAGE}
  --at TIME         not before this time, such as 2026-11-15T20:00:00Z, or in this long, such as 10m
  --key K           the same key with the same parameters is the same operation, also after it ended
  --priority N      from -10 to 10, larger ones first; default that of the capability
  --retries N       most retries; default that of the capability, else of [queue]
  --retry-for L     retries end this long after the first failure, such as 2h; default as --retries
  --unchecked       write it down although neither the config declares the capability nor a runner that is alive has it
  --wait            wait until it has ended, and print its result
  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 written down, 1 it could not be; with --wait: ${EXIT_USAGE}.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  ...PARAMS_OPTIONS,
  at: { type: 'string' },
  key: { type: 'string' },
  priority: { type: 'string' },
  retries: { type: 'string' },
  'retry-for': { type: 'string' },
  unchecked: { type: 'boolean' },
  wait: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const [capability, ...rest] = positionals
  if (capability === undefined) throw new UsageError('name the capability to run')
  if (rest.length > 0)
    throw new UsageError(
      `submit takes one capability, not also ${JSON.stringify(rest[0])}; parameters: --param NAME=VALUE`,
    )
  const at = dueFlag('--at', values.at, terminal.now())
  const priority = integerFlag('--priority', values.priority, -10, 10)
  const maxRetries = countFlag('--retries', values.retries)
  const retryForMs = positiveDurationFlag('--retry-for', values['retry-for'])
  return withQueue(
    values,
    terminal,
    async runtime => {
      const { queue } = runtime
      const unchecked = await isElsewhere(runtime, capability, values.unchecked === true)
      const { params: given, hidden } = await paramsOf(values, queue.registry.get(capability), terminal)
      // Nobody here knows what is secret; what came by a hidden way is taken for it.
      const params = unchecked
        ? new Secrets({ folder: runtime.folder, env: terminal.env }).seal(
            { name: capability, secrets: hidden },
            given,
          )
        : given
      if (unchecked)
        terminal.stderr(
          `mulligan: ${capability} is not known here: its runner will check the parameters, and they are stored as they are; give a secret as env:NAME, or by --param-env, --param-file or --param-stdin\n`,
        )
      return submitAndPrint(
        runtime,
        () =>
          queue.submit(capability, params, {
            unchecked,
            ...(at === undefined ? {} : { at }),
            ...(values.key === undefined ? {} : { key: values.key }),
            ...(priority === undefined ? {} : { priority }),
            ...(maxRetries === undefined ? {} : { maxRetries }),
            ...(retryForMs === undefined ? {} : { retryForMs }),
          }),
        values,
        terminal,
      )
    },
    { needsCapabilities: true },
  )
}

/** A capability that only another process has. One that nobody has is a typing error. */
async function isElsewhere(
  { queue, known: { ofModules, mayHaveMore } }: QueueRuntime,
  capability: string,
  isInsisted: boolean,
): Promise<boolean> {
  if (queue.registry.has(capability)) return false
  if (isInsisted || ofModules.includes(capability) || (await queue.hasRunner(capability))) return true
  const known = [...queue.registry.names, ...ofModules].filter(name => !OWN_CAPABILITIES.includes(name))
  const guess = nearest(capability, known)
  const remedy = guess
    ? `did you mean "${guess}"?`
    : known.length > 0
      ? `known are: ${known.join(', ')}`
      : 'add it to mulligan.toml with [[capability]], or modules of [queue]'
  throw new UsageError(
    `there is no capability ${JSON.stringify(capability)}, here or at a runner that is alive; ${remedy}${mayHaveMore ? '; if a module of [queue] has it, start "mulligan serve" first, or give --unchecked' : ''}`,
  )
}
