import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { figure } from './figures.ts'
import { seeded } from './measure.ts'

// Storms of refusals over real HTTP on loopback: how many calls each client gets answered, and what it wastes on the way.
// Time runs faster, for servers and clients alike: long scenes by more, because small delays of the machine matter less there.
const PART = fileURLToPath(new URL('storm-part.ts', import.meta.url))

/** Whether a server refuses a request that arrives at `now`, milliseconds since the scene began: the status, or undefined. */
type Refuses = (now: number, tokens: number) => number | undefined

interface Scene {
  title: string
  /** One per provider, made anew for each client. */
  servers: (() => Refuses)[]
  calls: number
  overMs: number
  budgetMs: number
  tokens?: (index: number) => number
  processes?: number
  scale: number
}

function bucket(capacity: number, perMinute: number, inTokens = false): () => Refuses {
  return () => {
    let left = capacity
    let at = 0
    return (now, tokens) => {
      left = Math.min(capacity, left + ((now - at) * perMinute) / 60_000)
      at = now
      const cost = inTokens ? tokens : 1
      if (left < cost) return 429
      left -= cost
      return undefined
    }
  }
}

/** Many vendors count in whole minutes. */
function minuteWindow(perMinute: number): () => Refuses {
  return () => {
    let minute = -1
    let used = 0
    return now => {
      const current = Math.floor(now / 60_000)
      if (current !== minute) [minute, used] = [current, 0]
      return ++used > perMinute ? 429 : undefined
    }
  }
}

const open = (): Refuses => () => undefined
const random = seeded(31)
const sizes = Array.from({ length: 2_000 }, () => 50 + Math.floor(random() * 400))

const SCENES: Record<string, Scene> = {
  a: {
    scale: 4,
    title: '120 calls over 30 s; a bare 429 for the first 5 s; budget 20 s',
    servers: [() => now => (now < 5_000 ? 429 : undefined)],
    calls: 120,
    overMs: 30_000,
    budgetMs: 20_000,
  },
  b: {
    scale: 12,
    title: '60 a minute allowed (token bucket), 100 wanted, 10 minutes; budget 60 s',
    servers: [bucket(60, 60)],
    calls: 1_000,
    overMs: 600_000,
    budgetMs: 60_000,
  },
  b2: {
    scale: 10,
    title: 'the same, counted in whole minutes',
    servers: [minuteWindow(60)],
    calls: 1_000,
    overMs: 600_000,
    budgetMs: 60_000,
  },
  c: {
    scale: 4,
    title: 'two providers, the first takes 10 and then 30 a minute; 120 calls over 60 s; budget 20 s',
    servers: [bucket(10, 30), open],
    calls: 120,
    overMs: 60_000,
    budgetMs: 20_000,
  },
  d: {
    scale: 4,
    title: '529 for 4 s of every 20 s; 120 calls over 60 s; budget 30 s',
    servers: [() => now => (now % 20_000 < 4_000 ? 529 : undefined)],
    calls: 120,
    overMs: 60_000,
    budgetMs: 30_000,
  },
  e: {
    scale: 4,
    title: '40 calls at once, 5 and then 2 a second taken, no Retry-After; budget 30 s',
    servers: [bucket(5, 120)],
    calls: 40,
    overMs: 1,
    budgetMs: 30_000,
  },
  f: {
    scale: 8,
    title: '10,000 tokens a minute allowed, 15,000 wanted, 3 minutes; budget 60 s',
    servers: [bucket(10_000, 10_000, true)],
    calls: 180,
    overMs: 180_000,
    budgetMs: 60_000,
    tokens: index => sizes[index] as number,
  },
  g: {
    scale: 8,
    title: 'four processes (ours on one ledger), 60 a minute allowed, 100 wanted, 3 minutes; budget 60 s',
    servers: [bucket(60, 60)],
    calls: 300,
    overMs: 180_000,
    budgetMs: 60_000,
    processes: 4,
  },
}

const AT_ONCE = 5
const CLIENTS = [
  'Mulligan, 2 retries',
  'Mulligan, 5 retries',
  'Mulligan, no learned rate',
  'Mulligan, failover first',
  'OpenAI SDK, 2 retries',
  'OpenAI SDK, 5 retries',
  'p-retry + cockatiel',
  'ai-fallback',
  'smithy adaptive',
]

/** Starts a provider. It answers after 300 ms, and refuses after 20. */
async function listen(refuses: Refuses, scale: number, tally: { sent: number; wasted: number }) {
  // The scene begins with its first call.
  let began: number | undefined
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => {
      body += chunk
    })
    request.on('end', () => {
      if (request.url === '/warm') {
        response.end('{}')
        return
      }
      began ??= performance.now()
      const { tokens = 1 } = JSON.parse(body || '{}') as { tokens?: number }
      const status = refuses((performance.now() - began) * scale, tokens)
      tally.sent++
      let isAnswered = false
      response.on('close', () => {
        if (status !== undefined || !isAnswered) tally.wasted++
      })
      setTimeout(
        () => {
          isAnswered = true
          response.writeHead(status ?? 200, { 'content-type': 'application/json' })
          response.end(status === undefined ? '{"choices":[]}' : '{"error":{"message":"refused"}}')
        },
        (status === undefined ? 300 : 20) / scale,
      )
    })
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function play(scene: Scene, client: string) {
  const tally = { sent: 0, wasted: 0 }
  const started = await Promise.all(scene.servers.map(make => listen(make(), scene.scale, tally)))
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-storm-'))
  const { calls, overMs, budgetMs, tokens = () => 1, processes = 1 } = scene
  const arrivals = Array.from({ length: calls }, (_, index) => ({
    at: (index * overMs) / calls,
    tokens: tokens(index),
  }))
  const waits = await Promise.all(
    Array.from({ length: processes }, (_, process) => {
      const part = {
        client,
        urls: started.map(({ url }) => url),
        arrivals: arrivals.filter((_arrival, index) => index % processes === process),
        budgetMs,
        scale: scene.scale,
        ...(processes > 1 ? { ledger: join(folder, 'ledger.db') } : {}),
      }
      return run(part)
    }),
  )
  for (const { server } of started) {
    server.closeAllConnections()
    server.close()
  }
  rmSync(folder, { recursive: true, force: true })
  const all = waits.flat().sort((a, b) => a - b)
  const p95 = all[Math.min(all.length - 1, Math.floor(all.length * 0.95))] ?? Number.NaN
  return { client, served: all.length, ...tally, p95 }
}

function run(part: object): Promise<number[]> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ['--no-warnings', PART, JSON.stringify(part)],
      { maxBuffer: 64e6 },
      (error, stdout, stderr) =>
        error ? reject(new Error(stderr)) : resolve(JSON.parse(stdout) as number[]),
    )
  })
}

const wanted = process.argv[3]?.split(',') ?? Object.keys(SCENES)
for (const name of wanted) {
  const scene = SCENES[name] as Scene
  process.stdout.write(`(${name}) ${scene.title}\n\n| | served | wasted | p95 wait |\n|---|---|---|---|\n`)
  const results: Awaited<ReturnType<typeof play>>[] = []
  // A few at a time: a machine that is busy with all of them would measure itself.
  for (let from = 0; from < CLIENTS.length; from += AT_ONCE)
    results.push(
      ...(await Promise.all(CLIENTS.slice(from, from + AT_ONCE).map(client => play(scene, client)))),
    )
  for (const { client, served, sent, wasted, p95 } of results)
    process.stdout.write(
      `| ${client} | ${served} | ${wasted} of ${sent} | ${Number.isNaN(p95) ? '–' : `${(p95 / 1_000).toFixed(1)} s`} |\n`,
    )
  process.stdout.write('\n')
  const servedBy = (name: string) => results.find(({ client }) => client === name)?.served as number
  figure({
    what: scene.title,
    unit: `of ${scene.calls} answered`,
    better: 'more',
    values: {
      Mulligan: servedBy('Mulligan, 2 retries'),
      'OpenAI SDK': servedBy('OpenAI SDK, 2 retries'),
      'p-retry with cockatiel': servedBy('p-retry + cockatiel'),
    },
  })
}
