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
import { FakeTime } from './core/fake-time.ts'
import { memoryLedger } from './memory-ledger.ts'

/** Settings of a test queue. */
export interface TestQueueOptions extends Partial<Omit<QueueParts, 'time' | 'registry'>> {
  /** Capabilities that the queue can run. Default none. */
  capabilities?: readonly Capability[]
  /** Default a new {@link FakeTime}. */
  time?: FakeTime
}

/** A test queue and its clock. */
export interface TestQueue {
  queue: OpenedQueue
  time: FakeTime
}

/**
 * A deterministic queue in memory on a fake clock. Waits have no jitter, and secrets are sealed with a throwaway key.
 * End it with `queue.close()` or `await using`.
 */
export async function testQueue(options: TestQueueOptions = {}): Promise<TestQueue> {
  const { capabilities = [], time = new FakeTime(), ...parts } = options
  const ledger = parts.ledger ?? (await memoryLedger({ time }))
  const engine =
    parts.engine ?? new EmbeddedEngine({ ledger: ledger as Awaited<ReturnType<typeof memoryLedger>> })
  const key = randomBytes(32).toString('base64')
  // Never written to, because the key comes from the environment.
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
