import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { quietly } from '../../src/time/clean-up.ts'
import { runStreams } from './streams.ts'
import { growth, type Look, ledgerMb, lookAt, quantile } from './watched.ts'

const USAGE = `Usage: npm run soak -- [--minutes N] [--streams N] [--write]

Runs a daemon with operations, workflows, a dashboard's reads and an MCP client, and a proxy with streams, for N minutes with
faults. One vendor is killed for a while, and the proxy is killed with -9 once and started again.
  --minutes N   default 10
  --streams N   streams at the same time; default 200
  --write       put the report into docs/reliability.md

Exits with 1 if a stream was mixed, cut by us or failed, work was lost, or memory, handles or lag were not bounded.`

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    streams: { type: 'string', default: '200' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const root = fileURLToPath(new URL('../..', import.meta.url))
const say = (line: string) => process.stdout.write(`${line}\n`)
if (values.help) {
  say(USAGE)
  process.exit()
}
const minutes = Number(values.minutes)
const streams = Number(values.streams)
if (!(minutes > 0) || !(streams > 0)) {
  say(USAGE)
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), 'mulligan-soak-'))
const data = join(folder, 'data')
const config = join(folder, 'mulligan.toml')
const children = new Set<ChildProcess>()
const [portA, portB, portProxy, portHttp] = [47_101, 47_102, 47_103, 47_104].map(
  port => port + (process.pid % 500) * 4,
) as [number, number, number, number]
const LOOK_MS = 2_000
const WORD_MS = 250

writeFileSync(
  join(folder, 'work.mjs'),
  `import { defineCapability, z } from ${JSON.stringify(join(root, 'test', 'cli', 'modules.ts'))}
let tries = 0
const work = name => defineCapability({
  name,
  params: z.object({ n: z.number() }),
  retry: 'replay',
  run: () => { if (++tries % 20 === 0) throw Object.assign(new Error('overloaded'), { status: 529 }); return 'done' },
})
export const plain = work('plain')
export const second = work('second')
`,
)
writeFileSync(
  config,
  `[queue]
data = ${JSON.stringify(data)}
modules = ["./work.mjs"]
[http]
port = ${portHttp}
[proxy]
port = ${portProxy}
max_connections = 5000
[[provider]]
id = "a"
api = "anthropic"
base_url = "http://127.0.0.1:${portA}"
[[provider]]
id = "b"
api = "anthropic"
base_url = "http://127.0.0.1:${portB}"
[[workflow]]
name = "pair"
[[workflow.step]]
id = "one"
run = "plain"
params = { n = 1 }
[[workflow.step]]
id = "two"
run = "second"
params = { n = 2 }
after = ["one"]
`,
  { mode: 0o600 },
)
const env = {
  ...process.env,
  MULLIGAN_CONFIG: config,
  NO_COLOR: '1',
  NODE_OPTIONS: '',
}

function start(argv: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, argv, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let last = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    last = (last + chunk).slice(-2_000)
  })
  children.add(child)
  child.once('exit', code => {
    children.delete(child)
    if (code !== null && code !== 0) say(`${argv.join(' ')} ended with ${code}: ${last}`)
  })
  return child
}

const command = join(root, 'bin', 'mulligan.js')
const startProxy = () => start([command, 'proxy', '--config', config])
const startVendor = (port: number) =>
  start([
    '--conditions=mulligan-source',
    join(root, 'scripts', 'soak', 'vendor.ts'),
    String(port),
    String(WORD_MS),
  ])

async function answers(url: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const answer = await fetch(url).catch(() => undefined)
    await answer?.body?.cancel()
    if (answer) return
    await delay(100)
  }
  throw new Error(`${url} does not answer`)
}

const api = `http://127.0.0.1:${portHttp}`
const proxyUrl = `http://127.0.0.1:${portProxy}`
let token = ''
async function ask<T>(path: string, body?: unknown): Promise<T> {
  const answer = await fetch(api + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

interface Status {
  succeeded: number
  dead: number
  running: number
  retry_queue: { queued: number }
}

let isOver = false
/** Does something again and again until the end. */
async function each(everyMs: number, work: () => Promise<unknown>): Promise<void> {
  while (!isOver) {
    await work().catch(error => problems.push((error as Error).message))
    await delay(everyMs)
  }
}

const problems: string[] = []
const killed = { proxy: 0, vendor: 0 }
const lagMs: number[] = []
const dueLagS: number[] = []
const looks = { daemon: [] as Look[], proxy: [] as Look[] }
const sizes: number[] = []
let submitted = 0
let workflows = 0
let toolCalls = 0

const vendors = [startVendor(portA), startVendor(portB)]
const daemon = start([command, 'serve', '--config', config])
await Promise.all([answers(`http://127.0.0.1:${portA}/`), answers(`${api}/healthz`)])
// After the daemon, so that one of them makes the ledger.
let proxy = startProxy()
await answers(proxyUrl)
token = readFileSync(join(data, 'http.token'), 'utf8').trim()
const mcp = new Client({ name: 'soak', version: '1' })
await mcp.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [command, 'mcp', '--config', config],
    env: env as Record<string, string>,
  }),
)

const begunAt = Date.now()
const endsAt = begunAt + minutes * 60_000
const at = (share: number) => delay(begunAt + share * minutes * 60_000 - Date.now())

async function events(): Promise<void> {
  while (!isOver) {
    const answer = await fetch(`${api}/v1/events`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    })
    const reader = answer.body?.getReader()
    while (!isOver && !(await reader?.read())?.done) {}
    await reader?.cancel()
  }
}

async function kills(): Promise<void> {
  await at(0.3)
  killed.vendor = Date.now()
  vendors[0]?.kill('SIGKILL')
  await delay(Math.min(20_000, minutes * 6_000))
  vendors[0] = startVendor(portA)
  await at(0.6)
  // Until it answers again, clients are refused.
  const down = setInterval(() => {
    killed.proxy = Date.now()
  }, 50)
  killed.proxy = Date.now()
  proxy.kill('SIGKILL')
  proxy = startProxy()
  await answers(proxyUrl)
  clearInterval(down)
}

const running = [
  kills(),
  each(500, async () => {
    await ask('/v1/operations', { capability: 'plain', params: { n: submitted++ } })
  }),
  each(5_000, async () => {
    await ask('/v1/workflows/pair/runs', {})
    workflows++
  }),
  each(1_000, () => ask('/v1/overview')),
  each(3_000, () => ask('/v1/operations?limit=50')),
  each(3_000, () => ask('/v1/proxy/holds')),
  each(2_000, async () => {
    await mcp.callTool({ name: 'status', arguments: {} })
    toolCalls++
  }),
  each(LOOK_MS, async () => {
    const from = performance.now()
    await fetch(`${api}/healthz`)
    lagMs.push(performance.now() - from)
    const metrics = await fetch(`${api}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    dueLagS.push(Number(/^mulligan_due_lag_seconds (\S+)/m.exec(await metrics.text())?.[1] ?? 0))
    for (const [name, child] of [
      ['daemon', daemon],
      ['proxy', proxy],
    ] as const) {
      const look = lookAt(child.pid)
      if (look) looks[name].push(look)
    }
    sizes.push(ledgerMb(data))
  }),
]
void events().catch(error => problems.push((error as Error).message))

const report = await runStreams({
  url: proxyUrl,
  streams,
  faults: 0.05,
  random: Math.random,
  goesOn: () => Date.now() < endsAt,
  killedAt: () => killed,
})
isOver = true
await Promise.all(running)
for (let tries = 0; tries < 300; tries++) {
  const { retry_queue: waiting, running: under } = await ask<Status>('/v1/status')
  if (waiting.queued + under === 0) break
  await delay(200)
}
const status = await ask<Status>('/v1/status')
await quietly(() => mcp.close())
for (const child of children) child.kill('SIGTERM')
await delay(3_000)
for (const child of children) child.kill('SIGKILL')
rmSync(folder, { recursive: true, force: true })

// The proxy's figures begin anew when it was killed: its second life is compared.
const memory = {
  daemon: growth(looks.daemon.map(look => look.rssMb)),
  proxy: growth(looks.proxy.map(look => look.rssMb)),
}
const handles = {
  daemon: growth(looks.daemon.map(look => look.handles)),
  proxy: growth(looks.proxy.map(look => look.handles)),
}
const expected = submitted + 2 * workflows
const grewKb = ((sizes.at(-1) ?? 0) - (sizes[Math.floor(sizes.length / 4)] ?? 0)) * 1_024
const perOperationKb = grewKb / (expected * 0.75)
const isFlat = ({ before, after }: { before: number; after: number }, more: number) =>
  after <= before * 1.3 + more
const checks: [string, boolean][] = [
  [
    `streams: ${report.whole} whole, ${report.cutByOthers} cut by the vendor or by a kill, ${report.proxyAway} refused while the proxy was down, ${report.mixed} mixed, ${report.cutByUs} cut by us, ${report.failed} failed`,
    report.whole > 0 && report.mixed + report.cutByUs + report.failed === 0,
  ],
  [
    `operations: ${status.succeeded} of ${expected} succeeded, ${status.dead} dead, ${status.retry_queue.queued} left; ${workflows} workflows, ${toolCalls} MCP calls`,
    status.succeeded === expected,
  ],
  [
    `memory, second and last quarter: daemon ${inMb(memory.daemon)}, proxy ${inMb(memory.proxy)}`,
    isFlat(memory.daemon, 40) && isFlat(memory.proxy, 80),
  ],
  [
    `open handles: daemon ${handles.daemon.before} to ${handles.daemon.after}, proxy ${handles.proxy.before} to ${handles.proxy.after}`,
    isFlat(handles.daemon, 20) && isFlat(handles.proxy, streams),
  ],
  [
    `ledger: ${(sizes.at(-1) ?? 0).toFixed(1)} MB, ${perOperationKb.toFixed(1)} kB an operation`,
    // In a minute the ledger grows by little more than its write-ahead log, 4 MB.
    perOperationKb < 40 || grewKb < 8 * 1_024,
  ],
  [
    `lag: /healthz ${quantile(lagMs, 0.5).toFixed(0)} ms, p99 ${quantile(lagMs, 0.99).toFixed(0)} ms; work due for ${Math.max(0, ...dueLagS).toFixed(1)} s at most`,
    quantile(lagMs, 0.99) < 5_000 && Math.max(0, ...dueLagS) < 60,
  ],
  [`requests of the dashboard and of MCP that failed: ${problems.length}`, problems.length === 0],
]
const head = `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}, ${streams} streams at once, 5 % faults, one vendor killed, one kill -9 of the proxy; ${cpus().length} cores at load ${Math.round(loadavg()[1] as number)}, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`
const lines = [
  head,
  '',
  ...checks.map(([line, isRight]) => `- ${line}${isRight ? '' : ' **(not bounded)**'}`),
]
for (const line of lines) say(line)
for (const line of [...report.examples, ...problems.slice(0, 5)]) say(`  ${line}`)
if (values.write) {
  const page = join(root, 'docs', 'reliability.md')
  const text = readFileSync(page, 'utf8')
  const written = text.replace(
    /<!-- soak -->[\s\S]*<!-- end of soak -->/,
    () => `<!-- soak -->\n${lines.join('\n')}\n<!-- end of soak -->`,
  )
  writeFileSync(page, written)
}
process.exit(checks.every(([, isRight]) => isRight) ? 0 : 1)

function inMb({ before, after }: { before: number; after: number }): string {
  return `${Math.round(before)} to ${Math.round(after)} MB`
}
