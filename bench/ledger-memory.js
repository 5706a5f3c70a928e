import { EmbeddedEngine } from './engine/index.js'
import { openLedger } from './ledger/index.js'

// Copied beside the built library and run there. Opens a full ledger in a process of its own, works on it, lists it, and says how much memory that took.
const ledger = await openLedger({ file: process.argv[2] })
const engine = new EmbeddedEngine({ ledger })
let settled = 0
while (settled < 20_000) {
  const { runs } = await engine.claim({ runner: 'm', capabilities: ['c0', 'c1', 'c2', 'c3'], limit: 50 })
  if (runs.length === 0) break
  await Promise.all(runs.map(({ fence }) => engine.settle(fence, { succeeded: true, result: { ok: true } })))
  settled += runs.length
}
const working = process.memoryUsage.rss()
await ledger.list({ state: 'succeeded' })
await ledger.counts()
const listing = process.memoryUsage.rss()
process.stdout.write(
  `${(working / 1e6).toFixed(0)} MB after ${settled} claims and settles, ${(listing / 1e6).toFixed(0)} MB with the reading thread`,
)
await engine.close()
await ledger.close()
