import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { z } from 'zod'
import { defineCapability } from '../src/capability/define.ts'
import { LEDGER_NAME } from '../src/ledger/location.ts'
import { openQueue } from '../src/queue/open.ts'
import { figure } from './figures.ts'
import { COMMON_WORD, RARE_WORD, worldIn } from './filters-world.ts'
import { median } from './measure.ts'

// The HTTP API of a real daemon, a process of its own: batches beside the library, lists of a million, many streams, many and
// bad connections, and what it takes while nothing happens.
//
// PARTS=batches,lists,streams,flood,idle; SIZE=1000000 operations for lists; WORLD= folder to keep them for the next run;
// SECONDS=4 of each round of batches; STREAMS=1000; CONNECTIONS=10000.

const say = (line = '') => process.stdout.write(`${line}\n`)
const PARTS = (process.env.PARTS ?? 'batches,lists,streams,flood,idle').split(',')
const SIZE = Number(process.env.SIZE ?? 1_000_000)
const SECONDS = Number(process.env.SECONDS ?? 4)
const STREAMS = Number(process.env.STREAMS ?? 1_000)
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 10_000)
const BATCH = 100
const ROUNDS = 3
const LATER = '2099-01-01T00:00:00Z'
const BIN = fileURLToPath(new URL('../bin/mulligan.js', import.meta.url))
const sources = (path: string) => pathToFileURL(fileURLToPath(new URL(path, import.meta.url))).href

/** Makes a daemon collect garbage and say what is left, when it is sent SIGUSR2. */
const COLLECTS = [
  '--expose-gc',
  '--import',
  // On one line, because a URL has no line breaks.
  `data:text/javascript,process.on('SIGUSR2', () => { gc(); const { heapUsed, external } = process.memoryUsage(); process.stderr.write('live ' + (heapUsed + external) + ';') })`,
]

const params = z.object({ n: z.number(), text: z.string() })
const fine = defineCapability({ name: 'fine', params, retry: 'replay', run: async () => 1 })

/** A daemon with one capability, on a folder of its own. */
class Daemon {
  readonly child: ChildProcess
  readonly url: string
  readonly token: string
  readonly agent = new Agent({ keepAlive: true, maxSockets: 5_000 })

  private constructor(child: ChildProcess, url: string, token: string) {
    this.child = child
    this.url = url
    this.token = token
  }

  /** @param nodeOptions given to Node before the program */
  static async start(data: string, more = '', nodeOptions: readonly string[] = []): Promise<Daemon> {
    mkdirSync(data, { recursive: true, mode: 0o700 })
    const module = join(data, 'bench-capabilities.mjs')
    writeFileSync(
      module,
      `import { defineCapability } from '${sources('../src/capability/define.ts')}'
import { z } from '${import.meta.resolve('zod')}'
const params = z.object({ n: z.number(), text: z.string() })
export default [defineCapability({ name: 'fine', params, retry: 'replay', run: async () => 1 })]\n`,
    )
    const config = join(data, 'mulligan.toml')
    writeFileSync(config, `[queue]\ndata = "${data}"\nmodules = ["${module}"]\n[http]\n${more}`)
    const argv = [...nodeOptions, BIN, 'serve', '--config', config, '--http-port', '0']
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe'] })
    const url = await new Promise<string>((resolve, reject) => {
      let text = ''
      child.stderr?.on('data', chunk => {
        text = (text + chunk).slice(-20_000)
        const found = /listening on (http:[^;]+);/.exec(text)
        if (found) resolve(found[1] as string)
      })
      child.once('exit', code => reject(new Error(`the daemon ended with ${code}: ${text}`)))
    })
    return new Daemon(child, url, readFileSync(join(data, 'http.token'), 'utf8').trim())
  }

  /** Processor time so far, in milliseconds. */
  get cpuMs(): number {
    const fields = readFileSync(`/proc/${this.child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * 10
  }

  /** Memory, in megabytes. */
  get memoryMb(): number {
    const found = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.child.pid}/status`, 'utf8'))
    return Number(found?.[1]) / 1024
  }

  /** Megabytes of memory in use after garbage was collected; for a daemon started with {@link COLLECTS}. */
  liveMb(): Promise<number> {
    return new Promise(resolve => {
      const hear = (chunk: Buffer) => {
        const found = /live (\d+);/.exec(String(chunk))
        if (!found) return
        this.child.stderr?.off('data', hear)
        resolve(Number(found[1]) / 1_048_576)
      }
      this.child.stderr?.on('data', hear)
      this.child.kill('SIGUSR2')
    })
  }

  send(path: string, body?: unknown): Promise<{ status: number; text: string }> {
    const text = body === undefined ? undefined : JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const sent = this.open(path, text === undefined ? 'GET' : 'POST', answer => {
        let all = ''
        answer.on('data', chunk => {
          all += chunk
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: all }))
      })
      sent.on('error', reject)
      sent.end(text)
    })
  }

  open(path: string, method: string, onAnswer: (answer: IncomingMessage) => void): ClientRequest {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' }
    return request(`${this.url}${path}`, { agent: this.agent, method, headers }, onAnswer)
  }

  async stop(): Promise<void> {
    this.agent.destroy()
    const ended = new Promise(resolve => this.child.once('exit', resolve))
    this.child.kill('SIGTERM')
    await ended
  }
}

const folder = mkdtempSync(join(tmpdir(), 'mulligan-http-bench-'))
const pause = (ms: number) => new Promise<void>(resolve => void setTimeout(resolve, ms))

let next = 0
const job = () => ({ capability: 'fine', params: { n: next++, text: 'some text of a job' } })

async function perSecond(work: () => Promise<unknown>, callers: number): Promise<number> {
  const start = performance.now()
  let done = 0
  const one = async () => {
    while (performance.now() - start < SECONDS * 1_000) {
      await work()
      done += BATCH
    }
  }
  await Promise.all(Array.from({ length: callers }, one))
  return done / ((performance.now() - start) / 1_000)
}

async function batches(): Promise<void> {
  const callers = [1, 4, 16]
  const library: number[] = []
  const libraryCpu: number[] = []
  const http = callers.map((): number[] => [])
  const httpCpu = callers.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++) {
    const queue = await openQueue({ data: join(folder, `library-${round}`), capabilities: [fine as never] })
    const at = Date.parse(LATER)
    const many = () => Array.from({ length: BATCH }, () => ({ ...job(), at }))
    const began = process.cpuUsage()
    const first = next
    library.push(await perSecond(() => queue.submitMany(many()), 1))
    const { user, system } = process.cpuUsage(began)
    libraryCpu.push((user + system) / (next - first))
    await queue.close()
    const daemon = await Daemon.start(join(folder, `daemon-${round}`))
    const body = () => ({ operations: Array.from({ length: BATCH }, () => ({ ...job(), at: LATER })) })
    for (const [index, count] of callers.entries()) {
      const [from, cpu] = [next, daemon.cpuMs]
      http[index]?.push(
        await perSecond(async () => {
          const { status, text } = await daemon.send('/v1/operations/batch', body())
          if (status !== 200) throw new Error(text)
        }, count),
      )
      httpCpu[index]?.push(((daemon.cpuMs - cpu) * 1_000) / (next - from))
    }
    await daemon.stop()
  }
  const base = median(library)
  say(`Batches of ${BATCH}, medians of ${ROUNDS} rounds of ${SECONDS} s; client and daemon share the machine`)
  const baseCpu = median(libraryCpu)
  say(`  library, submitMany      ${Math.round(base)}/s  ${baseCpu.toFixed(1)} µs of processor time each`)
  for (const [index, count] of callers.entries()) {
    const [rate, cpu] = [median(http[index] as number[]), median(httpCpu[index] as number[])]
    figure({
      what: `batches of ${BATCH} over HTTP, ${count} connections`,
      unit: 'operations per second',
      better: 'more',
      values: { HTTP: rate, 'submitMany in the library': base },
      aim: '0.3 ×',
    })
    say(
      `  HTTP, ${String(count).padStart(2)} connections     ${Math.round(rate)}/s  ${cpu.toFixed(1)} µs of the daemon's processor time each; ${(rate / base).toFixed(2)} × by the clock, ${(baseCpu / cpu).toFixed(2)} × by processor time  (to reach 0.3)`,
    )
  }
  say()
}

const QUERIES = [
  '',
  'state=succeeded',
  'state=parked',
  'capability=capability-0',
  'provider=claude',
  'provider=spare',
  'class=throttle',
  'class=unknown',
  'class=throttle&provider=claude',
  'state=dead&provider=codex',
  `text=${COMMON_WORD}`,
  `text=${RARE_WORD}`,
  `text=${COMMON_WORD}&state=dead`,
  'since=2026-01-20T00:00:00Z&before=2026-01-21T00:00:00Z',
  'provider=claude&since=2026-01-20T00:00:00Z',
  'session=session-17',
]

async function lists(): Promise<void> {
  const data = process.env.WORLD ?? join(folder, 'world')
  mkdirSync(data, { recursive: true, mode: 0o700 })
  await (await worldIn(join(data, LEDGER_NAME), SIZE, say)).close()
  const daemon = await Daemon.start(data)
  await daemon.send('/v1/operations')
  const all: number[] = []
  const counts: number[] = []
  say(`Lists and counts of ${SIZE} operations at the API, p50/p95 of 30 in ms`)
  for (const query of QUERIES) {
    const listed = await times(daemon, `/v1/operations?${query}`, all)
    const counted = await times(daemon, `/v1/operations/count?${query}`, counts)
    const { about = false, total } = JSON.parse((await daemon.send(`/v1/operations/count?${query}`)).text)
    say(
      `  ${(query || 'everything').padEnd(45)} list ${listed}   count ${counted}   ${about ? 'about ' : ''}${total}`,
    )
  }
  figure({
    what: `a list among ${SIZE.toLocaleString('en')} operations, p95`,
    unit: 'ms',
    better: 'less',
    values: { HTTP: percentile(all, 0.95) },
    aim: '300 ms',
  })
  say(
    `  all lists: p95 ${percentile(all, 0.95).toFixed(0)} ms; all counts: p95 ${percentile(counts, 0.95).toFixed(0)} ms (to reach 300)`,
  )
  say()
  await daemon.stop()
}

async function times(daemon: Daemon, path: string, all: number[]): Promise<string> {
  const took: number[] = []
  for (let n = 0; n < 30; n++) {
    const start = performance.now()
    const { status, text } = await daemon.send(path)
    if (status !== 200) throw new Error(text)
    took.push(performance.now() - start)
  }
  all.push(...took)
  return `${percentile(took, 0.5).toFixed(1)}/${percentile(took, 0.95).toFixed(1)}`.padEnd(12)
}

function percentile(values: readonly number[], part: number): number {
  return [...values].sort((a, b) => a - b)[
    Math.min(values.length - 1, Math.floor(values.length * part))
  ] as number
}

async function streams(): Promise<void> {
  const daemon = await Daemon.start(join(folder, 'streams'), '', COLLECTS)
  const before = daemon.memoryMb
  const live = [await daemon.liveMb()]
  const seen = Array.from({ length: STREAMS }, () => 0)
  const open = await Promise.all(
    seen.map(
      (_, index) =>
        new Promise<IncomingMessage>((resolve, reject) => {
          const sent = daemon.open('/v1/events/stream?type=submitted', 'GET', answer => {
            answer.on('data', (chunk: Buffer) => {
              let count = chunk.indexOf('id: ') === 0 ? 1 : 0
              for (let at = chunk.indexOf('\nid: '); at >= 0; at = chunk.indexOf('\nid: ', at + 1)) count++
              seen[index] = (seen[index] as number) + count
            })
            resolve(answer)
          })
          sent.on('error', reject)
          sent.end()
        }),
    ),
  )
  const opened = daemon.memoryMb
  live.push(await daemon.liveMb())
  const memory: number[] = []
  const rounds = 30
  for (let round = 1; round <= rounds; round++) {
    const operations = Array.from({ length: BATCH }, () => ({ ...job(), at: LATER }))
    await daemon.send('/v1/operations/batch', { operations })
    while (seen.some(count => count < round * BATCH)) await pause(20)
    if (round % 3 === 0) memory.push(daemon.memoryMb)
  }
  live.push(await daemon.liveMb())
  const exact = seen.every(count => count === rounds * BATCH)
  say(`${STREAMS} event streams, ${rounds} × ${BATCH} events to each`)
  say(`  every stream got every event once: ${exact}`)
  say(
    `  memory of the daemon in MB: ${before.toFixed(0)} before, ${opened.toFixed(0)} with all open, then every 3 rounds ${memory.map(each => each.toFixed(0)).join(' ')}`,
  )
  const cpu = daemon.cpuMs
  await pause(10_000)
  say(`  while nothing happens: ${((daemon.cpuMs - cpu) / 100).toFixed(2)} % of a core`)
  for (const answer of open) answer.destroy()
  await pause(1_000)
  live.push(await daemon.liveMb())
  say(
    `  in use after garbage was collected, in MB: ${live.map(each => each.toFixed(0)).join(', ')} (before, all open, after the events, all closed)`,
  )
  say(
    `  after all were closed: ${daemon.memoryMb.toFixed(0)} MB; it answers: ${(await daemon.send('/healthz')).status}`,
  )
  say()
  await daemon.stop()
}

async function flood(): Promise<void> {
  const daemon = await Daemon.start(join(folder, 'flood'), 'request_timeout = "5s"\n')
  const { hostname, port } = new URL(daemon.url)
  const before = daemon.memoryMb
  const head = `POST /v1/operations HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${daemon.token}\r\nContent-Type: application/json\r\n`
  const ways: [string, number, (socket: Socket) => void][] = [
    ['connections that say nothing', CONNECTIONS, () => {}],
    ['slow headers', CONNECTIONS / 10, socket => socket.write('GET /v1/status HTTP/1.1\r\nHost: 127')],
    ['slow bodies', CONNECTIONS / 10, socket => socket.write(`${head}Content-Length: 1000\r\n\r\n{"capa`)],
    [
      'oversize bodies',
      CONNECTIONS / 10,
      socket => socket.write(`${head}Content-Length: 99999999999\r\n\r\n`),
    ],
    ['nonsense', CONNECTIONS / 10, socket => socket.write('\x00\xff NONSENSE \r\n\r\n\r\n')],
  ]
  say('Bad connections, all at once (max_connections 2,000, request_timeout 5 s)')
  for (const [name, count, begin] of ways) {
    let ended = 0
    const sockets = Array.from({ length: count }, () => {
      const socket = connect(Number(port), hostname, () => begin(socket))
      socket.on('error', () => {})
      socket.on('data', () => {})
      socket.on('close', () => ended++)
      return socket
    })
    const start = performance.now()
    while (ended + 2_000 < count && performance.now() - start < 30_000) await pause(10)
    const refused = performance.now() - start
    // Those that it took end when their time is over.
    while (ended < count && performance.now() - start < 30_000) await pause(50)
    const took = performance.now() - start
    const byDaemon = ended
    for (const socket of sockets) socket.destroy()
    const asked = performance.now()
    const { status } = await retried(() => daemon.send('/healthz'))
    const over = count > 2_000 ? `, those beyond the limit within ${refused.toFixed(0)} ms` : ''
    say(
      `  ${name.padEnd(28)} ${count}: ${byDaemon} ended by the daemon within ${took.toFixed(0)} ms${over}; then it answers ${status} after ${(performance.now() - asked).toFixed(0)} ms, ${daemon.memoryMb.toFixed(0)} MB (before ${before.toFixed(0)})`,
    )
  }
  say()
  await daemon.stop()
}

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let n = 0; ; n++)
    try {
      return await work()
    } catch (error) {
      if (n > 200) throw error
      await pause(20)
    }
}

async function idle(): Promise<void> {
  const daemon = await Daemon.start(join(folder, 'idle'))
  await pause(5_000)
  const cpu = daemon.cpuMs
  const seconds = 60
  await pause(seconds * 1_000)
  const quiet = (daemon.cpuMs - cpu) / (seconds * 10)
  const before = daemon.cpuMs
  for (let n = 0; n < 4; n++) {
    await daemon.send('/metrics')
    await pause(15_000)
  }
  const scraped = (daemon.cpuMs - before) / 600
  say(
    `Idle daemon: ${quiet.toFixed(2)} % of a core over ${seconds} s (to reach: below 1), ${scraped.toFixed(2)} % scraped every 15 s; ${daemon.memoryMb.toFixed(0)} MB`,
  )
  say()
  await daemon.stop()
}

const all: Record<string, () => Promise<void>> = { batches, lists, streams, flood, idle }
try {
  for (const part of PARTS) await (all[part] as () => Promise<void>)()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
