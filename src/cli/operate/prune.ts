import { inNumbers } from '../../daemon/words/in-numbers.ts'
import { sizeInWords } from '../../daemon/words/size-words.ts'
import { present } from '../../failure/present.ts'
import { retentionPolicy } from '../../queue/retention.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { durationFlag } from '../flag/flags.ts'
import { RETENTION_OPTIONS } from '../flag/retention.ts'
import { printJson } from '../print/print-json.ts'
import { type QueueRuntime, withQueue } from '../runtime/queue-runtime.ts'
import { nothingYet, RUNTIME_OPTIONS, RUNTIME_USAGE } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'

export const usage = `Usage: mulligan ledger prune [OPTIONS]

Deletes old ended operations with their history and results, old events without an operation, old workflow runs and
orphaned result files. Returns free space to the disk. The daemon does the same every hour.

  --succeeded D     delete succeeded operations older than this
  --dead D          delete dead operations older than this
  --events D        delete queue and provider events older than this
  --workflows D     delete workflow runs that ended longer ago than this
                    Default of each: what "mulligan ledger retention" shows
  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 done, 2 wrong usage.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  ...RETENTION_OPTIONS,
  json: { type: 'boolean' },
} as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  if (positionals.length > 0) throw new UsageError(`prune takes no ${JSON.stringify(positionals[0])}`)
  const succeededAfterMs = durationFlag('--succeeded', values.succeeded)
  const deadAfterMs = durationFlag('--dead', values.dead)
  const eventsAfterMs = durationFlag('--events', values.events)
  const workflowsAfterMs = durationFlag('--workflows', values.workflows)
  const prune = async ({ queue, ledger, loaded, isBegun, place }: QueueRuntime) => {
    const policy = {
      ...(await retentionPolicy(ledger, loaded.config)),
      ...present({ succeededAfterMs, deadAfterMs, eventsAfterMs, workflowsAfterMs }),
    }
    // Without a ledger, results are not orphans: the ledger may have been moved, and may come back.
    const { succeeded, dead, events, notices, workflows, files, freedBytes } = isBegun
      ? await queue.prune(policy, terminal.signal)
      : { succeeded: 0, dead: 0, events: 0, notices: 0, workflows: 0, files: 0, freedBytes: 0 }
    if (values.json)
      printJson(terminal, { succeeded, dead, events, notices, workflows, files, freed_bytes: freedBytes })
    else if (!isBegun) terminal.stdout(nothingYet(place))
    else
      terminal.stdout(
        `deleted ${succeeded} succeeded and ${inNumbers(dead, 'dead operation')}, ${inNumbers(events, 'event')}, ${inNumbers(notices, 'notice')}, ${inNumbers(workflows, 'workflow run')}, ${inNumbers(files, 'result file')}${freedBytes > 0 ? `; freed ${sizeInWords(freedBytes)}` : ''}\n`,
      )
    const stuck = ledger.stuckBytes()
    if (stuck > 0)
      terminal.stderr(
        `${sizeInWords(stuck)} of the ledger are free but cannot be returned to the disk, because an older version created it; stop all runners and run: mulligan ledger compact\n`,
      )
    return 0
  }
  return withQueue(values, terminal, prune, { absent: 'look' })
}
