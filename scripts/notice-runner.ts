import { CapabilityRegistry } from '../src/capability/registry.ts'
import { readConfig } from '../src/config/read.ts'
import { deliveryCapabilities, NoticeService } from '../src/notice/notice-service.ts'
import { openQueue } from '../src/queue/open.ts'
import { fastTime } from './fast-time.ts'

// A process that makes and delivers notices until it is killed. Arguments: the data folder, the config, and the start and
// speed of its fast clock.
const [data, toml, beganAt, factor] = process.argv.slice(2) as [string, string, string, string]
const time = fastTime(Number(beganAt), Number(factor))
const { surfaces } = readConfig(toml, undefined).trust().config
const registry = new CapabilityRegistry()
const queue = await openQueue({ data, capabilities: registry, time, leaseMs: 20_000 })
const host = { base: data, env: process.env, now: () => time.now() }
for (const capability of deliveryCapabilities(surfaces, { ledger: queue.ledger, host }))
  registry.add(capability)
const notices = new NoticeService({
  ledger: queue.ledger,
  engine: queue.engine,
  surfaces,
  time,
  onError: error => process.stderr.write(`${error instanceof Error ? error.stack : error}\n`),
})
await queue.runner({ concurrency: 16 }).start()
await notices.start()
process.stdout.write('ready\n')
