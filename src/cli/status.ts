import type { QueueStatus } from '../queue/index.ts'
import { parseArguments, UsageError } from './arguments.ts'
import type { Terminal } from './main.ts'
import { PARKED_FOR } from './operation-words.ts'
import { providerToJson, timeOf } from './provider-json.ts'
import { providersInWords } from './provider-words.ts'
import { withQueue } from './queue-runtime.ts'
import { RUNTIME_OPTIONS, RUNTIME_USAGE } from './runtime.ts'
import { momentInWords } from './words.ts'

export const usage = `Usage: mulligan status [--json] [--alive]

How the queue stands: what waits and until when, what runs, what is parked and what for, what is dead; who runs it;
and which providers take calls.

  --json            JSON on stdout
  --alive           exit with 1 if no runner is alive: for what looks after a daemon, such as a container
${RUNTIME_USAGE}

Exit codes: 0, 1 with --alive where no runner is, 2 wrong usage.`

const OPTIONS = { ...RUNTIME_OPTIONS, json: { type: 'boolean' }, alive: { type: 'boolean' } } as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  if (positionals.length > 0) throw new UsageError(`status takes no ${JSON.stringify(positionals[0])}`)
  return withQueue(values, terminal, async ({ queue, folder }) => {
    const status = await queue.status()
    if (values.json) terminal.stdout(`${JSON.stringify({ ...statusToJson(status), data: folder })}\n`)
    else terminal.stdout(statusInWords(status, terminal.now()))
    return values.alive === true && status.runners.length === 0 ? 1 : 0
  })
}

function statusToJson(status: QueueStatus): Record<string, unknown> {
  const { retryQueue, due, running, parked, held, succeeded, dead, pauses, providers, runners } = status
  const { queued, nextRetryAt } = retryQueue
  return {
    retry_queue: { queued, next_retry_at: nextRetryAt === undefined ? null : timeOf(nextRetryAt) },
    due,
    held,
    running,
    parked: { total: parked.total, for: parked.for },
    succeeded,
    dead,
    paused: pauses,
    providers: providers.map(providerToJson),
    runners: runners.map(({ id, label, capabilities, startedAt, seenAt }) => ({
      id,
      ...(label === undefined ? {} : { label }),
      capabilities,
      started_at: timeOf(startedAt),
      seen_at: timeOf(seenAt),
    })),
  }
}

function statusInWords(status: QueueStatus, now: number): string {
  const { retryQueue, due, running, parked, held, succeeded, dead, pauses, providers, runners } = status
  const { queued, nextRetryAt } = retryQueue
  const lines = [
    `queued     ${queued}${details([
      due > 0 ? `${due} due` : undefined,
      held > 0 ? `${held} held until a provider can be used` : undefined,
      nextRetryAt === undefined || nextRetryAt <= now ? undefined : `next ${momentInWords(nextRetryAt, now)}`,
    ])}`,
    `running    ${running}`,
    `parked     ${parked.total}${details(Object.entries(parked.for).map(([reason, count]) => `${count} for ${PARKED_FOR[reason as keyof typeof PARKED_FOR]}`))}`,
    `succeeded  ${succeeded}`,
    `dead       ${dead}`,
    ...(pauses.queue ? ['The queue is paused; to go on: mulligan queue resume'] : []),
    ...pauses.capabilities.map(
      name => `Capability ${name} is paused; to go on: mulligan queue resume ${name}`,
    ),
    runners.length === 0
      ? 'No runner is alive; start one with: mulligan serve'
      : `${runners.length === 1 ? 'A runner is' : `${runners.length} runners are`} alive: ${runners.map(({ label, id }) => label ?? id).join(', ')}`,
  ]
  const health = providers.length === 0 ? '' : `\n${providersInWords(providers, now)}`
  return `${lines.join('\n')}\n${health}`
}

function details(parts: readonly (string | undefined)[]): string {
  const said = parts.filter(part => part !== undefined)
  return said.length > 0 ? ` (${said.join(', ')})` : ''
}
