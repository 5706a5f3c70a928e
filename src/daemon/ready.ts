import { scheduleStatuses } from '../queue/cron-status.ts'
import { placeInWords, type StoredLedger } from '../queue/stored-ledger.ts'
import { providerToJson } from '../shape/provider-json.ts'
import type { Time } from '../time/time.ts'
import { timeToJson } from '../time/time-json.ts'
import type { Generation } from './generation.ts'
import type { Logger } from './log.ts'
import { inNumbers } from './words/in-numbers.ts'
import { schedulesInShort } from './words/schedule-words.ts'

/** Logs one line that the daemon is ready, with what it found. */
export async function logReady(
  { loaded, queue, capabilities }: Pick<Generation, 'loaded' | 'queue' | 'capabilities'>,
  { ledger, folder, time, log }: { ledger: StoredLedger; folder: string; time: Time; log: Logger },
): Promise<void> {
  const { retryQueue, due, running, parked, dead, providers, pauses } = await queue.status()
  const { enabled } = loaded.config.queue
  const schedules = await scheduleStatuses(ledger, loaded.config.schedules, time.now())
  const words = [
    // Show at once that the ledger is not a file on this machine.
    ...('place' in ledger ? [placeInWords(ledger)] : []),
    inNumbers(providers.length, 'provider'),
    capabilities.length > 0
      ? inNumbers(capabilities.length, 'capability', 'capabilities')
      : 'no capabilities (add [[capability]] to mulligan.toml, or modules to [queue])',
    ...(schedules.length > 0 ? [schedulesInShort(schedules)] : []),
    `${retryQueue.queued} queued (${due} due), ${running} running, ${parked.total} parked, ${dead} dead`,
    ...(pauses.queue ? ['the queue is paused'] : []),
    ...(enabled ? [] : ['calls are not queued: [queue] enabled = false']),
  ]
  log.info(
    {
      ready: true,
      config: loaded.file ?? null,
      data: folder,
      ledger: placeInWords(ledger),
      providers: providers.map(provider => {
        const { id, admits, reason } = providerToJson(provider)
        return { id, admits, reason }
      }),
      capabilities,
      schedules: schedules.map(({ name, nextAt }) => ({
        name,
        next_at: nextAt === undefined ? null : timeToJson(nextAt),
      })),
      queue: { queued: retryQueue.queued, due, running, parked: parked.total, dead },
      pid: process.pid,
    },
    `ready: ${words.join('; ')}`,
  )
}
