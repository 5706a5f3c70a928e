import { Secrets } from '../../capability/secret/secrets.ts'
import { OWN_CAPABILITIES } from '../../daemon/config-queue.ts'
import { present } from '../../failure/present.ts'
import { nearestOrKnown } from '../../option/nearest.ts'
import { EXIT_USAGE } from '../exit-code.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { countFlag, dueFlag, integerFlag, positiveDurationFlag } from '../flag/flags.ts'
import { PARAMS_OPTIONS, PARAMS_USAGE, paramsOf } from '../flag/params.ts'
import { SESSION_USAGE, sessionOf } from '../flag/session-flag.ts'
import { traceIn } from '../run/trace-variables.ts'
import { type QueueRuntime, withQueue } from '../runtime/queue-runtime.ts'
import { RUNTIME_OPTIONS, RUNTIME_USAGE } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'
import { submitAndPrint } from './submit-and-print.ts'
import { submitNow } from './submit-now.ts'

export const usage = `Usage: mulligan submit CAPABILITY [--param NAME=VALUE… | --params JSON] [OPTIONS]

Submits an operation to the queue and prints its id; a runner that has the capability runs it. With --now, runs it here
first and prints its result, or queues it if it cannot succeed now.

${PARAMS_USAGE}
  --at TIME         run no earlier than this, such as 2026-11-15T20:00:00Z, or 10m for ten minutes from now
  --key K           idempotency key: the same key and parameters are the same operation, even after it ended
  --priority N      -10 to 10, higher first; default: the capability's
  --retries N       retry limit; default: the capability's, else [queue]'s
  --retry-for D     stop retrying this long after the first failure, such as 2h; default: as for --retries
${SESSION_USAGE}
  --now             run it in this process, and queue it if it cannot succeed now
  --budget D        with --now: time limit for tries and waits here, such as 2m; ends a running try. Default: no try is
                    ended, and an operation that would wait longer than [queue] budget (20s) is queued
  --unchecked       submit even if neither the config nor a live runner has the capability
  --wait            wait until it ends, and print its result
  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 submitted, 1 failed, 2 wrong usage.
Exit codes with --wait or --now: ${EXIT_USAGE}.
--now exits with 75 if it was queued.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  ...PARAMS_OPTIONS,
  at: { type: 'string' },
  key: { type: 'string' },
  priority: { type: 'string' },
  retries: { type: 'string' },
  'retry-for': { type: 'string' },
  session: { type: 'string' },
  now: { type: 'boolean' },
  budget: { type: 'string' },
  unchecked: { type: 'boolean' },
  wait: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const [capability, ...rest] = positionals
  if (capability === undefined) throw new UsageError('name the CAPABILITY to run')
  if (rest.length > 0)
    throw new UsageError(
      `submit takes one CAPABILITY, not also ${JSON.stringify(rest[0])}; give parameters with --param NAME=VALUE`,
    )
  const at = dueFlag('--at', values.at, terminal.now())
  const priority = integerFlag('--priority', values.priority, -10, 10)
  const maxRetries = countFlag('--retries', values.retries)
  const retryForMs = positiveDurationFlag('--retry-for', values['retry-for'])
  const session = sessionOf(values.session, terminal)
  const budgetMs = positiveDurationFlag('--budget', values.budget)
  checkNow(values)
  const options = present({ key: values.key, priority, maxRetries, retryForMs, session })
  if (values.now) return submitNow({ capability, options, budgetMs, flags: values }, terminal)
  return withQueue(
    values,
    terminal,
    async runtime => {
      const { queue } = runtime
      const unchecked = await isElsewhere(runtime, capability, values.unchecked === true)
      const { params: given, hidden } = await paramsOf(values, queue.registry.get(capability), terminal)
      // This process does not know which parameters are secret; those kept off the command line count as secret.
      const params = unchecked
        ? new Secrets({ folder: runtime.folder, env: terminal.env }).seal(
            { name: capability, secrets: hidden },
            given,
          )
        : given
      if (unchecked)
        terminal.stderr(
          `mulligan: this config does not declare ${capability}, so its runner will check the parameters, and they are stored unencrypted; pass a secret as env:NAME, or with --param-env, --param-file or --param-stdin\n`,
        )
      return submitAndPrint(
        runtime,
        () =>
          queue.submit(capability, params, {
            unchecked,
            ...present({ at }),
            ...options,
            ...traceIn(terminal),
          }),
        values,
        terminal,
      )
    },
    { needsCapabilities: true },
  )
}

function checkNow(flags: {
  now?: boolean
  at?: string
  wait?: boolean
  unchecked?: boolean
  budget?: string
}): void {
  if (!flags.now) {
    if (flags.budget !== undefined) throw new UsageError('--budget goes with --now')
    return
  }
  const other = (['at', 'wait', 'unchecked'] as const).find(flag => flags[flag] !== undefined)
  if (other !== undefined) throw new UsageError(`use --now or --${other}, not both`)
}

/** Whether only another process has the capability. Throws a UsageError if none has it. */
async function isElsewhere(
  { queue, known: { ofModules, mayHaveMore } }: QueueRuntime,
  capability: string,
  isForced: boolean,
): Promise<boolean> {
  if (queue.registry.has(capability)) return false
  if (isForced || ofModules.includes(capability) || (await queue.hasRunner(capability))) return true
  const known = [...queue.registry.names, ...ofModules].filter(name => !OWN_CAPABILITIES.includes(name))
  const ifNone = 'add a [[capability]] to mulligan.toml, or a module to [queue]'
  const remedy = nearestOrKnown(capability, known, ifNone)
  throw new UsageError(
    `unknown capability ${JSON.stringify(capability)}: neither the config nor a live runner has it; ${remedy}${mayHaveMore ? '; if a module of [queue] has it, start "mulligan serve" first, or use --unchecked' : ''}`,
  )
}
