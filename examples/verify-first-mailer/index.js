// Mail is sent once. The connection breaks after the server took the mail: before a second try, verify looks for it.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineCapability } from 'mulligan/capability'
import { openQueue } from 'mulligan/queue'
import { z } from 'zod'

const outbox = new Map()
let requests = 0
const sendMail = defineCapability({
  name: 'send-mail',
  params: z.object({ to: z.string() }),
  retry: 'verify_first',
  verify: (_params, { idempotencyKey }) => outbox.has(idempotencyKey),
  run: ({ to }, { idempotencyKey }) => {
    requests += 1
    outbox.set(idempotencyKey, to)
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  },
})

const queue = await openQueue({ data: mkdtempSync(join(tmpdir(), 'mailer-')), capabilities: [sendMail] })
const { queuedForRetry = false } = await queue.run(sendMail, { to: 'ada@example.com' })
console.log(`${queuedForRetry ? 'later' : 'done'}: ${requests} request, ${outbox.size} mail`)
await queue.close()
