import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

/*
 * A server with a tool that refuses for a while, and one that always works. What it saw is in the file `seen`, and each start in
 * `starts`. It waits with its first answer for as many milliseconds as the file `slow` says, and does not start if there is a file
 * `dead`.
 *
 * node throttled-server.ts FOLDER SECONDS
 */

const [folder = '.', seconds = '60'] = process.argv.slice(2)
const file = join(folder, 'seen')
appendFileSync(join(folder, 'starts'), `${new Date().toISOString()} ${process.pid}\n`)
if (existsSync(join(folder, 'dead'))) {
  process.stderr.write('tracker: cannot reach its database\n')
  process.exit(1)
}
if (existsSync(join(folder, 'slow')))
  Atomics.wait(
    new Int32Array(new SharedArrayBuffer(4)),
    0,
    0,
    Number(readFileSync(join(folder, 'slow'), 'utf8')),
  )

serveStdio(() => {
  const server = new McpServer({ name: 'tracker', version: '1.0.0' })
  server.registerTool('create_issue', { inputSchema: z.object({ title: z.string() }) }, () => {
    const openAt = firstTry() + Number(seconds) * 1_000
    const leftS = Math.ceil((openAt - Date.now()) / 1_000)
    if (leftS > 0) {
      saw(`create_issue refused, ${leftS} s too early`)
      const text = `429 Too Many Requests, retry after ${leftS} seconds`
      return { isError: true, content: [{ type: 'text', text }] }
    }
    saw('create_issue took effect')
    const created = readFileSync(file, 'utf8').match(/took effect/g)?.length
    return { content: [{ type: 'text', text: `created issue ${created}` }] }
  })
  server.registerTool(
    'list_labels',
    { inputSchema: z.object({}), annotations: { readOnlyHint: true } },
    () => {
      saw('list_labels answered')
      return { content: [{ type: 'text', text: 'bug, docs' }] }
    },
  )
  return server
})

/** A server that is started again goes on refusing as long. */
function firstTry(): number {
  if (!existsSync(file)) saw('create_issue called for the first time')
  const [, time = ''] = /^(\S+) create_issue/m.exec(readFileSync(file, 'utf8')) ?? []
  return Date.parse(time) || Date.now()
}

function saw(what: string): void {
  appendFileSync(file, `${new Date().toISOString()} ${what}\n`)
}
