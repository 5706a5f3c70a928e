import { isStrangersFolder } from '../../config/data-folder.ts'
import { momentInWords } from '../../daemon/words/failure-words.ts'
import { proxyInWords } from '../../daemon/words/proxy-words.ts'
import { schedulesInWords } from '../../daemon/words/schedule-words.ts'
import { sizeInWords } from '../../daemon/words/size-words.ts'
import { proxyStatusToJson } from '../../gateway/proxy/proxy-status.ts'
import { billDay } from '../../ledger/bill.ts'
import { shellWord } from '../../option/shell-word.ts'
import { scheduleStatuses } from '../../queue/cron-status.ts'
import { PARKED_FOR } from '../../queue/run-result.ts'
import { sizeSamples } from '../../queue/size-samples.ts'
import type { QueueStatus } from '../../queue/status.ts'
import { scheduleToJson, statusToJson } from '../../queue/status-json.ts'
import { durationInWords } from '../../verdict/duration-words.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { growthInWords } from '../operate/ledger-size.ts'
import { providersInWords } from '../operate/provider-words.ts'
import { printJson } from '../print/print-json.ts'
import { type QueueRuntime, withQueue } from '../runtime/queue-runtime.ts'
import { nothingYet, RUNTIME_OPTIONS, RUNTIME_USAGE } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'

export const usage = `Usage: mulligan status [--json] [--alive]

Shows the queue (waiting, running, parked, dead), its runners, what waits in the model proxy, what was spent today, the
next time of each schedule, and which providers take calls.

  --json            JSON on stdout
  --alive           exit with 1 if no runner is alive, as a health check for containers
${RUNTIME_USAGE}

Exit codes: 0 shown, 1 the config or the ledger cannot be used, or with --alive no runner is alive, 2 wrong usage.`

const OPTIONS = { ...RUNTIME_OPTIONS, json: { type: 'boolean' }, alive: { type: 'boolean' } } as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  if (positionals.length > 0) throw new UsageError(`status takes no ${JSON.stringify(positionals[0])}`)
  const look = async ({ queue, folder, place, ledger, loaded, isBegun }: QueueRuntime) => {
    const now = terminal.now()
    const status = await queue.status()
    const [schedules, proxy, { bytes }, sizes, spent] = await Promise.all([
      scheduleStatuses(ledger, loaded.config.schedules, now),
      proxyStatusToJson({ ledger, folder: isStrangersFolder(loaded) ? undefined : folder }, now),
      ledger.size(),
      sizeSamples(ledger),
      ledger.bill({ since: billDay(now), by: ['client'] }),
    ])
    if (values.json) {
      const json = {
        ...statusToJson(status),
        schedules: schedules.map(scheduleToJson),
        ...proxy,
        data: folder,
        ledger: place,
        ledger_bytes: bytes,
      }
      printJson(terminal, json)
    } else {
      terminal.stdout(
        isBegun
          ? `ledger     ${place === folder ? '' : `${place}, `}${sizeInWords(bytes)}${growthInWords(sizes, bytes, now)}\n${queueInWords(status, now)}`
          : nothingYet(place),
      )
      terminal.stdout(proxyInWords(proxy, spent))
      if (schedules.length > 0) terminal.stdout(`\n${schedulesInWords(schedules, now)}`)
      if (status.providers.length > 0) terminal.stdout(`\n${providersInWords(status.providers, now)}`)
    }
    return values.alive === true && status.runners.length === 0 ? 1 : 0
  }
  return withQueue(values, terminal, look, { absent: 'look', shows: true })
}

function queueInWords(status: QueueStatus, now: number): string {
  const { retryQueue, due, running, parked, held, succeeded, dead, deadAs, pauses, runners } = status
  const { queued, nextRetryAt } = retryQueue
  const lines = [
    `queued     ${queued}${details([
      due > 0 ? `${due} due` : undefined,
      held > 0 ? `${held} held for a provider or by another engine` : undefined,
      nextRetryAt === undefined || nextRetryAt <= now ? undefined : `next ${momentInWords(nextRetryAt, now)}`,
    ])}`,
    `running    ${running}`,
    `parked     ${parked.total}${details(Object.entries(parked.for).map(([reason, count]) => `${count} for ${PARKED_FOR[reason as keyof typeof PARKED_FOR]}`))}`,
    `succeeded  ${succeeded}`,
    `dead       ${dead}${details(Object.entries(deadAs).map(([reason, count]) => `${count} ${reason}`))}`,
    ...(pauses.queue ? ['The queue is paused; to resume: mulligan queue resume'] : []),
    ...pauses.capabilities.map(
      name => `Capability ${name} is paused; to resume: mulligan queue resume ${shellWord(name)}`,
    ),
    runners.length === 0
      ? 'No runner is alive; start one: mulligan serve'
      : `${runners.length === 1 ? 'A runner is' : `${runners.length} runners are`} alive: ${runners.map(runner => runnerInWords(runner, now)).join(', ')}`,
  ]
  return `${lines.join('\n')}\n`
}

/** After this silence a runner may be gone, in milliseconds: it reports every 20 s, and counts as alive for a minute. */
const SILENT_AFTER_MS = 25_000

function runnerInWords({ id, label, seenAt }: QueueStatus['runners'][number], now: number): string {
  const silence = now - seenAt
  return `${label ?? id}${silence > SILENT_AFTER_MS ? ` (last seen ${durationInWords(silence)} ago)` : ''}`
}

function details(parts: readonly (string | undefined)[]): string {
  const given = parts.filter(part => part !== undefined)
  return given.length > 0 ? ` (${given.join(', ')})` : ''
}
