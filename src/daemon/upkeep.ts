import type { TrustedConfig } from '../config/loaded.ts'
import type { NodeHealth as Health } from '../process/node-health.ts'
import type { Queue } from '../queue/queue.ts'
import { retentionPolicy } from '../queue/retention.ts'
import { sampleSize } from '../queue/size-samples.ts'
import { sleep, type Time } from '../time/time.ts'
import { durationInWords } from '../verdict/duration-words.ts'
import type { ClockJump, ClockWatch } from './clock-watch.ts'
import type { Logger } from './log.ts'

/** How often old operations are pruned, in milliseconds. */
const PRUNE_EVERY_MS = 3_600_000
/** When they are pruned first: a daemon that is restarted or reloaded often may never live for an hour. */
const PRUNE_FIRST_MS = 60_000
/** How often expired pauses are looked for, in milliseconds. */
const PAUSES_EVERY_MS = 5_000
/** How often the clock is looked at, in milliseconds. */
const CLOCK_EVERY_MS = 10_000

/** What is kept up: everything of one generation that changes by time. */
interface Kept {
  loaded: TrustedConfig
  health: Health
  queue: Queue
  stop: AbortController
}

/** Periodic work of a daemon: probes, deleting old history, ending pauses. Resolves when the generation's `stop` aborts. */
export async function upkeep(
  { loaded, health, queue, stop: { signal } }: Kept,
  { time, log, clock }: { time: Time; log: Logger; clock: ClockWatch },
): Promise<void> {
  const repeat = (ms: number, action: () => Promise<void>, firstMs = ms) =>
    every(ms, action, { firstMs, signal, time, log })
  const probes = loaded.config.providers.flatMap(({ id, probe }) =>
    probe?.everyMs === undefined
      ? []
      : [
          repeat(probe.everyMs, async () => {
            const { outcome, reason } = await health.probe(id, signal)
            log.debug({ provider: id, outcome }, `probe of ${id}: ${reason}`)
          }),
        ],
  )
  const prune = async () => {
    const deleted = await queue.prune(await retentionPolicy(queue.ledger, loaded.config), signal)
    log.debug(deleted, 'deleted old history')
    await sampleSize(queue.ledger, time.now())
  }
  const pruning = repeat(PRUNE_EVERY_MS, prune, PRUNE_FIRST_MS)
  const pauses = repeat(PAUSES_EVERY_MS, async () => {
    for (const id of await health.endPauses()) log.info({ provider: id }, `resumed ${id}: its pause is over`)
  })
  const watching = repeat(CLOCK_EVERY_MS, async () => {
    const jump = clock.look()
    if (jump) log.warn({ by_ms: jump.byMs }, jumpInWords(jump))
  })
  // Also at the start: a daemon that is restarted often may never live for an hour.
  const sampling = sampleSize(queue.ledger, time.now()).catch((error: unknown) => {
    if (!signal.aborted) log.error({ err: error }, 'cannot record the size of the ledger')
  })
  await Promise.all([...probes, pruning, pauses, watching, sampling])
}

function jumpInWords({ byMs }: ClockJump): string {
  const way = byMs > 0 ? 'forward' : 'back'
  return `the clock jumped ${way} by ${durationInWords(Math.abs(byMs))}; schedules, waits and limits follow it`
}

/** Repeats an action, and logs its errors. Resolves when the signal aborts. */
async function every(
  ms: number,
  action: () => Promise<void>,
  { firstMs, signal, time, log }: { firstMs: number; signal: AbortSignal; time: Time; log: Logger },
): Promise<void> {
  for (let waitMs = firstMs; !signal.aborted; waitMs = ms)
    try {
      await sleep(time, waitMs, signal)
      await action()
    } catch (error) {
      // Stopping is not an error.
      if (!signal.aborted) log.error({ err: error }, 'periodic work failed')
    }
}
