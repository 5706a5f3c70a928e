import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { LEDGER_NAME } from '../src/ledger/location.ts'
import { figure } from './figures.ts'
import { COMMON_WORD, worldIn } from './filters-world.ts'

// Whoever may read must not be able to harm what runs: under every reading route of a real daemon, asked at its limits by several
// clients at once, how long /healthz takes and how late leases are renewed. The routes come from the daemon's own list.
//
// SIZE=100000 operations; BIG=300 of them with parameters as large as they may be; SECONDS=4 for each route; CLIENTS=8;
// ONLY= a part of a path.

const say = (line = '') => process.stdout.write(`${line}\n`)
const SIZE = Number(process.env.SIZE ?? 100_000)
const BIG = Number(process.env.BIG ?? 300)
const SECONDS = Number(process.env.SECONDS ?? 4)
const CLIENTS = Number(process.env.CLIENTS ?? 8)
const ONLY = process.env.ONLY ?? ''
/** Of each running operation; a third of it is the time between two renewals. */
const LEASE_MS = 3_000
const RUNNING = 20
/** Bounds that must hold. */
const MOST_P99_MS = 100
const MOST_LATE_MS = LEASE_MS / 3

const BIN = fileURLToPath(new URL('../bin/mulligan.js', import.meta.url))
const sources = (path: string) => pathToFileURL(fileURLToPath(new URL(path, import.meta.url))).href

const folder = mkdtempSync(join(tmpdir(), 'mulligan-hostile-'))
const file = join(folder, LEDGER_NAME)
const world = await worldIn(file, SIZE, say)
const large = 'x'.repeat(250_000)
for (let n = 0; n < BIG; n++)
  await world.transaction(writes =>
    writes.insert([{ capability: 'large', params: { large }, dueAt: 4_000_000_000_000 }]),
  )
await world.close()

writeFileSync(
  join(folder, 'capabilities.mjs'),
  `import { defineCapability } from '${sources('../src/capability/define.ts')}'
import { defineWorkflow } from '${sources('../src/workflow/define.ts')}'
import { z } from '${import.meta.resolve('zod')}'
const long = defineCapability({ name: 'long', params: z.object({}), retry: 'replay', run: (_, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))) })
const odd = defineCapability({ name: 'odd', params: z.object({ n: z.number() }), retry: 'replay', provider: 'claude',
  run: () => { throw new Error('the flux capacitor is detuned') } })
const all = defineWorkflow({ name: 'all', params: z.object({}), steps: ({ run }) => {
  for (let n = 0; n < 100; n++) run('step' + n, odd, { params: { n } }) } })
export default [long, odd, all]
`,
)
const config = join(folder, 'mulligan.toml')
writeFileSync(
  config,
  `[queue]\ndata = ${JSON.stringify(folder)}\nmodules = ["capabilities.mjs"]\nlease = "${LEASE_MS / 1_000}s"\nconcurrency = 50
[[provider]]\nid = "claude"\n[[group]]\nname = "nightly"\npool = "claude"\nprompts = ["Say hi"]\n`,
)
const argv = [BIN, 'serve', '--config', config, '--http-port', '0']
const daemon: ChildProcess = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe'] })
let log = ''
const url = await new Promise<string>((resolve, reject) => {
  daemon.stderr?.on('data', chunk => {
    log = (log + chunk).slice(-20_000)
    const found = /listening on (http:[^;]+);/.exec(log)
    if (found) resolve(found[1] as string)
  })
  daemon.once('exit', code => reject(new Error(`the daemon ended with ${code}: ${log}`)))
})
const token = readFileSync(join(folder, 'http.token'), 'utf8').trim()

interface Asked {
  method?: string
  body?: unknown
  accept?: string
}

const clients = new Agent({ keepAlive: true, maxSockets: CLIENTS })
const watcher = new Agent({ keepAlive: true, maxSockets: 1 })

function send(path: string, { method = 'GET', body, accept }: Asked = {}, agent = clients) {
  return new Promise<{ status: number; bytes: number; text: string }>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(accept === undefined ? {} : { accept }),
    }
    const sent = request(`${url}${path}`, { agent, method, headers }, answer => {
      let bytes = 0
      let text = ''
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (text.length < 100_000) text += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, bytes, text }))
      answer.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
const post = (path: string, body: unknown) => send(path, { method: 'POST', body })

for (let n = 0; n < RUNNING; n++) await post('/v1/operations', { capability: 'long', params: {} })
await post('/v1/workflows/all/runs', {})
const db = new DatabaseSync(file, { readOnly: true })
const leases = db.prepare('SELECT operation, renewals FROM leases WHERE capability = ?')
for (let tries = 0; leases.all('long').length < RUNNING && tries < 600; tries++) await delay(100)
await delay(3_000)
const fingerprint = JSON.parse((await send('/v1/unknowns')).text).unknowns?.[0]?.fingerprint as string

/** The heaviest question that a route answers; its defaults, if it has none. */
const heavy = Array.from(
  { length: 100 },
  (_, n) => `[[signature]]\nclass = "transient"\npattern = '''(x|y|[a-z0-9 ]{1,90}z){1,3} ${n}$'''\n`,
).join('')
const HEAVIEST: Readonly<Record<string, readonly (Asked & { query?: string })[]>> = {
  '/v1/operations': [
    { query: 'limit=1000' },
    { query: 'limit=1000&capability=large' },
    { query: `limit=1000&text=${COMMON_WORD}` },
    { query: 'limit=1000&text=zzzz&state=dead&kind=overloaded' },
  ],
  '/v1/operations/count': [{ query: 'exact=true' }, { query: `exact=true&text=${COMMON_WORD}` }],
  '/v1/events': [{ query: 'limit=1000' }, { query: 'limit=1000&type=discarded' }],
  '/v1/failures': [{ query: 'span_ms=86400000' }],
  '/v1/providers/{id}/history': [{ query: 'span_ms=86400000' }],
  '/v1/unknowns': [{ query: 'limit=1000' }],
  '/v1/workflow_runs': [{ query: 'limit=200' }],
  '/v1/overview': [{ query: 'ahead_ms=86400000' }],
  '/v1/backtest': [{ body: { signatures: heavy } }],
  '/v1/unknowns/{fingerprint}/preview': [
    { body: { class: 'transient', pattern: '(x|y|[a-z0-9 ]{1,90}z){1,3}$' } },
  ],
  '/mcp': [
    {
      accept: 'application/json, text/event-stream',
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'operations', arguments: { action: 'list', limit: 50 } },
      },
    },
  ],
}
/** Streams are measured by `bench -- http`: one of them never ends. */
const ENDLESS = ['/v1/events/stream']

const filled = (path: string) =>
  path
    .replace('{fingerprint}', encodeURIComponent(fingerprint ?? ''))
    .replace('/v1/workflow_runs/{id}', '/v1/workflow_runs/wf_1')
    .replace('/v1/groups/{name}', '/v1/groups/nightly')
    .replace('/v1/providers/{id}', '/v1/providers/claude')
    .replace('/v1/workflows/{name}', '/v1/workflows/all')
    .replace('{step}', 'step1')
    .replace('{id}', 'op_1')

interface Measured {
  asked: number
  statuses: Map<number, number>
  mostBytes: number
  health: number[]
  late: number
}

/** Asks `question` with all clients for a while, beside one that asks how the daemon is. */
async function measure(question?: () => Promise<{ status: number; bytes: number }>): Promise<Measured> {
  const end = performance.now() + SECONDS * 1_000
  const statuses = new Map<number, number>()
  let [asked, mostBytes, late] = [0, 0, 0]
  const ask = async () => {
    while (question && performance.now() < end) {
      const { status, bytes } = await question()
      asked++
      mostBytes = Math.max(mostBytes, bytes)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const health: number[] = []
  const seen = new Map<number, { renewals: number; at: number }>()
  const watch = async () => {
    while (performance.now() < end) {
      const at = performance.now()
      await send('/healthz', {}, watcher)
      health.push(performance.now() - at)
      await delay(10)
    }
  }
  const look = async () => {
    while (performance.now() < end) {
      const now = performance.now()
      for (const { operation, renewals } of leases.all('long') as { operation: number; renewals: number }[]) {
        const before = seen.get(operation)
        // A takeover would begin again at 0.
        if (before?.renewals === renewals) late = Math.max(late, now - before.at - LEASE_MS / 3)
        else seen.set(operation, { renewals, at: now })
      }
      await delay(20)
    }
  }
  await Promise.all([watch(), look(), ...Array.from({ length: CLIENTS }, ask)])
  return { asked, statuses, mostBytes, health: health.sort((a, b) => a - b), late }
}

let failed = 0
let worst = 0
function tell(what: string, { asked, statuses, mostBytes, health, late }: Measured): void {
  const p99 = health[Math.floor((health.length - 1) * 0.99)] ?? 0
  const isBad = p99 > MOST_P99_MS || late > MOST_LATE_MS
  if (isBad) failed++
  worst = Math.max(worst, p99)
  const codes = [...statuses].map(([status, count]) => `${status} × ${count}`).join(', ')
  say(
    `| ${what} | ${asked} (${codes || '–'}) | ${Math.round(mostBytes / 1_024)} KB | ${p99.toFixed(0)} ms | ${(health.at(-1) ?? 0).toFixed(0)} ms | ${Math.max(0, late).toFixed(0)} ms |${isBad ? ' too slow' : ''}`,
  )
}

try {
  const document = JSON.parse((await once200('/openapi.json')).text) as {
    paths: Record<string, Record<string, { operationId: string; security?: unknown; description?: string }>>
  }
  say(
    `\n${SIZE} operations, ${CLIENTS} clients, ${SECONDS} s each, ${RUNNING} leases renewed every ${LEASE_MS / 3} ms`,
  )
  say('| route | answers | largest | /healthz p99 | longest | renewals late by |\n|---|---|---|---|---|---|')
  tell('nothing', await measure())
  for (const [path, methods] of Object.entries(document.paths)) {
    const readings = Object.keys(methods).filter(
      method => method === 'get' || HEAVIEST[path]?.some(({ body }) => body !== undefined),
    )
    if (readings.length === 0 || ENDLESS.includes(path) || !path.includes(ONLY)) continue
    for (const { query, ...asked } of HEAVIEST[path] ?? [{}]) {
      const whole = `${filled(path)}${query === undefined ? '' : `?${query}`}`
      const method = asked.body === undefined ? 'GET' : 'POST'
      const measured = await measure(() => send(whole, { ...asked, method }))
      tell(`${method} ${path}${query === undefined ? '' : `?${query}`}`, measured)
      await delay(300)
    }
  }
  say(
    `\n${failed} of them exceed ${MOST_P99_MS} ms of /healthz at p99, or ${MOST_LATE_MS} ms of a late renewal`,
  )
  figure({
    what: '/healthz under the worst reading route at its limits, p99',
    unit: 'ms',
    better: 'less',
    values: { daemon: worst },
    aim: `${MOST_P99_MS} ms`,
  })
  const lost = db.prepare("SELECT count(*) AS n FROM operations WHERE capability = 'long' AND run > 1").get()
  say(`leases lost: ${(lost as { n: number }).n}`)
  if (failed > 0 || (lost as { n: number }).n > 0) process.exitCode = 1
} finally {
  db.close()
  clients.destroy()
  watcher.destroy()
  const ended = once(daemon, 'exit')
  daemon.kill('SIGTERM')
  await ended
  rmSync(folder, { recursive: true, force: true })
}

async function once200(path: string): Promise<{ text: string }> {
  const chunks: string[] = []
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  chunks.push(await response.text())
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${chunks[0]}`)
  return { text: chunks.join('') }
}
