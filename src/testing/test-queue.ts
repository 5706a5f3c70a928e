import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Capability } from '../capability/capability.ts'
import { CapabilityRegistry } from '../capability/registry.ts'
import { SECRET_KEY_VARIABLE } from '../capability/secret/key.ts'
import { Secrets } from '../capability/secret/secrets.ts'
import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts'
import { OpenedQueue } from '../queue/open.ts'
import type { QueueParts } from '../queue/queue-deps.ts'
import { FakeTime } from './fake-time.ts'
import { memoryLedger } from './memory-ledger.ts'

/** Settings of a queue for a test: those of any queue. */
export interface TestQueueOptions extends Partial<Omit<QueueParts, 'time' | 'registry'>> {
  /** What can be run. Default nothing. */
  capabilities?: readonly Capability[]
  /** Default a clock of its own, which moves only when told to. */
  time?: FakeTime
}

/** A queue for a test, and the clock that it runs on. */
export interface TestQueue {
  queue: OpenedQueue
  time: FakeTime
}

/**
 * A queue in memory on a fake clock, with nothing left to chance: waits have no jitter, and secrets are sealed with
 * a key that is thrown away. `await using` or `queue.close()` ends it.
 */
export async function testQueue(options: TestQueueOptions = {}): Promise<TestQueue> {
  const { capabilities = [], time = new FakeTime(), ...parts } = options
  const ledger = parts.ledger ?? (await memoryLedger({ time }))
  const engine =
    parts.engine ?? new EmbeddedEngine({ ledger: ledger as Awaited<ReturnType<typeof memoryLedger>> })
  const key = randomBytes(32).toString('base64')
  // Nothing is ever written there: the key comes from the environment.
  const folder = join(tmpdir(), 'mulligan-test-without-files')
  const queue = new OpenedQueue({
    random: () => 0,
    env: {},
    secrets: new Secrets({ folder, env: { [SECRET_KEY_VARIABLE]: key } }),
    ...parts,
    ledger,
    engine,
    registry: new CapabilityRegistry(capabilities),
    time,
  })
  return { queue, time }
}
