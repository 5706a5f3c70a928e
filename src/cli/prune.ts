import { parseArguments, UsageError } from './arguments.ts'
import { durationFlag } from './flags.ts'
import type { Terminal } from './main.ts'
import { prunePolicy } from './prune-policy.ts'
import { type QueueRuntime, withQueue } from './queue-runtime.ts'
import { nothingYet, RUNTIME_OPTIONS, RUNTIME_USAGE } from './runtime.ts'
import { sizeInWords } from './size-words.ts'

export const usage = `Usage: mulligan prune [OPTIONS]

Forgets operations that ended long ago, with their history and results, and old events that belong to no operation, and
removes files of results that belong to none any more. Room that becomes free is given back to the disk. A daemon does the same every hour.

  --succeeded L     age at which succeeded ones are forgotten; default that of the config, 30d
  --dead L          age at which dead ones are forgotten; default that of the config, 90d
  --events L        age at which events of the queue and of providers are forgotten; default that of the config, 30d
  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 done, 2 wrong usage.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  succeeded: { type: 'string' },
  dead: { type: 'string' },
  events: { type: 'string' },
  json: { type: 'boolean' },
} as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  if (positionals.length > 0) throw new UsageError(`prune takes no ${JSON.stringify(positionals[0])}`)
  const succeededAfterMs = durationFlag('--succeeded', values.succeeded)
  const deadAfterMs = durationFlag('--dead', values.dead)
  const eventsAfterMs = durationFlag('--events', values.events)
  const prune = async ({ queue, ledger, loaded, isBegun, folder }: QueueRuntime) => {
    const policy = {
      ...prunePolicy(loaded.config),
      ...(succeededAfterMs === undefined ? {} : { succeededAfterMs }),
      ...(deadAfterMs === undefined ? {} : { deadAfterMs }),
      ...(eventsAfterMs === undefined ? {} : { eventsAfterMs }),
    }
    // Results whose ledger is not here are no orphans: it may have been moved, and come back.
    const { succeeded, dead, events, files, freedBytes } = isBegun
      ? await queue.prune(policy, terminal.signal)
      : { succeeded: 0, dead: 0, events: 0, files: 0, freedBytes: 0 }
    if (values.json)
      terminal.stdout(`${JSON.stringify({ succeeded, dead, events, files, freed_bytes: freedBytes })}\n`)
    else if (!isBegun) terminal.stdout(nothingYet(folder))
    else
      terminal.stdout(
        `forgot ${succeeded} that succeeded, ${dead} that are dead, ${events} events, and ${files} files of results${freedBytes > 0 ? `; ${sizeInWords(freedBytes)} given back` : ''}\n`,
      )
    const stuck = ledger.stuckBytes()
    if (stuck > 0)
      terminal.stderr(
        `${sizeInWords(stuck)} of the ledger are empty, and it was made by an older version, which keeps them: "mulligan ledger compact" gives them back, when no runner is alive\n`,
      )
    return 0
  }
  return withQueue(values, terminal, prune, { absent: 'look' })
}
