import { readConfig } from '../../src/config/read.ts'
import type { SurfaceConfig } from '../../src/config/schema/surface.ts'
import { deliveryCapability } from '../../src/notice/delivery.ts'
import { DeliveryPlanner } from '../../src/notice/delivery-planner.ts'
import type { FakeTime } from '../../src/testing/core/fake-time.ts'
import { memoryLedger } from '../../src/testing/memory-ledger.ts'

/** A notice that needs action, and the ledger that knows it was told to a surface. For tests. */
export interface Told {
  ledger: Awaited<ReturnType<typeof memoryLedger>>
  /** Id of the notice. */
  notice: string
}

/** Tells one notice to the surface that this TOML describes. */
export async function told(
  surfaceToml: string,
  env: Readonly<Record<string, string>>,
  time: FakeTime,
): Promise<Told> {
  const ledger = await memoryLedger({ time })
  const [surface] = readConfig(`[[surface]]\n${surfaceToml}\n`, 'm.toml').trust().config.surfaces as [
    SurfaceConfig,
  ]
  const planner = new DeliveryPlanner(surface, { ledger, time, engine: { wake: async () => {} } as never })
  await planner.plan()
  const { id: notice } = await ledger.transaction(writes =>
    writes.addNotice({
      key: 'dead:op_1',
      type: 'dead',
      priority: 'high',
      disposition: 'actionable',
      title: 'report failed',
      body: 'op_1',
      expiresAt: time.now() + 86_400_000,
    }),
  )
  await planner.plan()
  const [operation] = (await ledger.list({ capability: `notice:${surface.name}` })).items
  const host = { base: '/', env, now: () => time.now() }
  const { run } = deliveryCapability(surface, { ledger, host }) as unknown as {
    run(params: unknown, context: { signal: AbortSignal }): Promise<{ reference: string }>
  }
  const { reference } = await run(operation?.params, { signal: new AbortController().signal })
  const [delivery] = (await ledger.deliveries({})).items
  await ledger.transaction(writes =>
    writes.settleDelivery(delivery?.id as string, { delivered: true, reference }),
  )
  return { ledger, notice }
}
