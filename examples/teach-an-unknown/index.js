// A failure that nobody knows parks its operation. One label decides it, and the next one like it is recognised.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineCapability } from 'mulligan/capability'
import { openQueue } from 'mulligan/queue'
import { Unknowns } from 'mulligan/unknown'
import { z } from 'zod'

const report = defineCapability({
  name: 'report',
  params: z.object({ job: z.number() }),
  retry: 'replay',
  run: ({ job }) => {
    throw new Error(`job ${job}: seat leases of the orrery are drained`)
  },
})
const options = { data: mkdtempSync(join(tmpdir(), 'teach-')), capabilities: [report] }
let queue = await openQueue(options)
const first = await queue.run(report, { job: 7 })
console.log(`job 7 waits for ${first.parkedFor}`)

const unknowns = new Unknowns(queue.ledger)
const [unknown] = (await unknowns.list()).items
const label = {
  class: 'throttle',
  kind: 'quota',
  retryAfterMs: 3_600_000,
  who: 'ada',
  why: 'seats come free on the hour',
}
await unknowns.label(unknown.fingerprint, label)

// The next morning, or in another process within a second.
await queue.close()
queue = await openQueue(options)
const next = await queue.run(report, { job: 8 })
console.log(`job 8 is tried again in ${Math.round((next.retryAt - Date.now()) / 60_000)} min`)
await queue.close()
