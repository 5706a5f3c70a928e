import type { Pausable } from '../../engine/engine.ts'
import { isQueueError } from '../../queue/error.ts'
import { checkCapabilityName } from '../../queue/known-capability.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { subcommandOf } from '../flag/subcommand.ts'
import { printJson } from '../print/print-json.ts'
import { type QueueRuntime, withQueue } from '../runtime/queue-runtime.ts'
import { RUNTIME_OPTIONS, RUNTIME_USAGE } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'

export const usage = `Usage: mulligan queue pause|resume [CAPABILITY] [--json]

  pause             start nothing new, in any process; running operations continue, new ones wait
  resume            start operations again

With CAPABILITY, affects only its operations. To pause a provider: mulligan providers pause.

  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 done, 2 wrong usage.`

const OPTIONS = { ...RUNTIME_OPTIONS, json: { type: 'boolean' } } as const

const SUBCOMMANDS = {
  pause: ({ queue }: QueueRuntime, what: Pausable) => queue.pause(what),
  resume: ({ queue }: QueueRuntime, what: Pausable) => queue.resume(what),
}

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const [name, capability, ...rest] = positionals
  const subcommand = subcommandOf('queue', name, SUBCOMMANDS)
  if (rest.length > 0)
    throw new UsageError(`queue ${name} takes one CAPABILITY; unexpected ${JSON.stringify(rest[0])}`)
  return withQueue(values, terminal, async runtime => {
    if (capability !== undefined) await check(runtime, capability)
    // A mistyped --data would otherwise look like an idle queue.
    if (!runtime.isBegun) terminal.stderr(`mulligan: ${runtime.place} had no ledger; created one\n`)
    await subcommand(runtime, capability === undefined ? { queue: true } : { capability })
    const pauses = await runtime.queue.engine.pauses()
    if (values.json) printJson(terminal, { paused: pauses })
    else {
      const what = capability === undefined ? 'the queue' : `capability ${capability}`
      terminal.stdout(`${what} ${name === 'pause' ? 'is paused' : 'is running'}\n`)
    }
    return 0
  })
}

async function check({ queue }: QueueRuntime, capability: string): Promise<void> {
  try {
    await checkCapabilityName(queue, capability)
  } catch (error) {
    if (isQueueError(error)) throw new UsageError(error.message)
    throw error
  }
}
