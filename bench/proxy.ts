import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { figure } from './figures.ts'
import { median } from './measure.ts'
import { CONTENDERS, type Contender } from './proxy-contenders.ts'

// A stream of Anthropic's API asked directly, through a bare reverse proxy, through `mulligan proxy` and through gateways, each a
// process of its own: time to the first content, questions a second, memory. All in turn, round after round, because the machine
// is shared.
//
// ROUNDS=12; ASKED=150 questions a round, one after another; AT_ONCE=32; SECONDS=2 of each round at once; ONLY=ours,bare

const say = (line = '') => process.stdout.write(`${line}\n`)
const ROUNDS = Number(process.env.ROUNDS ?? 12)
const ASKED = Number(process.env.ASKED ?? 150)
const AT_ONCE = Number(process.env.AT_ONCE ?? 32)
const SECONDS = Number(process.env.SECONDS ?? 2)
const ONLY = process.env.ONLY?.split(',')

const BODY = JSON.stringify({
  model: 'claude-lab-1',
  max_tokens: 64,
  stream: true,
  system: 'You are terse. '.repeat(500),
  messages: [{ role: 'user', content: 'say hi' }],
})
const HEADERS = {
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(BODY),
  'x-api-key': 'k',
  'anthropic-version': '2023-06-01',
}

interface Running {
  name: string
  child: ChildProcess | undefined
  url: string
  headers: Record<string, string>
  agent: Agent
  firstMs: number[]
  perSecond: number[]
}

/** Milliseconds to the first content of one answer. */
function ask({ url, headers, agent }: Running): Promise<number> {
  const begunAt = performance.now()
  return new Promise((resolve, reject) => {
    const asked = request(
      `${url}/v1/messages`,
      { method: 'POST', agent, headers: { ...HEADERS, ...headers } },
      answer => {
        let first = 0
        let text = ''
        answer.on('data', (chunk: Buffer) => {
          text += chunk
          if (first === 0 && text.includes('text_delta')) first = performance.now() - begunAt
        })
        answer.on('end', () =>
          text.includes('message_stop')
            ? resolve(first)
            : reject(new Error(`${url}: ${answer.statusCode} ${text.slice(0, 300)}`)),
        )
        answer.on('error', reject)
      },
    )
    asked.on('error', reject)
    asked.end(BODY)
  })
}

async function askMany(of: Running): Promise<number> {
  const begunAt = performance.now()
  const end = begunAt + SECONDS * 1_000
  let answered = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (performance.now() < end) {
        await ask(of)
        answered++
      }
    }),
  )
  return answered / ((performance.now() - begunAt) / 1_000)
}

function memoryMb(child: ChildProcess): number {
  const found = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))
  return Number(found?.[1]) / 1_024
}

const at = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number

async function start(contender: Contender, upstream: string): Promise<Running | undefined> {
  const { name, begin } = contender
  try {
    const { child, url, headers = {} } = await begin(upstream)
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
    const running = { name, child, url, headers, agent, firstMs: [], perSecond: [] }
    for (let n = 0; n < 200; n++) await ask(running)
    return running
  } catch (error) {
    say(`${name} does not run here: ${(error as Error).message.slice(0, 200)}`)
    return undefined
  }
}

const vendor = spawn(process.execPath, [fileURLToPath(new URL('proxy-vendor.js', import.meta.url))], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const upstream = await new Promise<string>(resolve =>
  vendor.stdout.once('data', (line: Buffer) => resolve(String(line).trim())),
)
const all: Running[] = []
for (const contender of CONTENDERS.filter(({ name }) => ONLY?.includes(name) ?? true)) {
  const running = await start(contender, upstream)
  if (running) all.push(running)
}
try {
  for (let round = 0; round < ROUNDS; round++)
    for (const running of all) {
      for (let n = 0; n < ASKED; n++) running.firstMs.push(await ask(running))
      if (round % 3 === 0) running.perSecond.push(await askMany(running))
    }
  const direct = all.find(({ name }) => name === 'direct')
  say('| through | first content, median | p99 | added, median | added, p99 | questions a second | memory |')
  say('|---|---|---|---|---|---|---|')
  for (const { name, firstMs, perSecond, child } of all) {
    const sorted = firstMs.sort((a, b) => a - b)
    const added = (share: number) =>
      direct ? `${(at(sorted, share) - at(direct.firstMs, share)).toFixed(2)} ms` : '–'
    say(
      `| ${name} | ${at(sorted, 0.5).toFixed(2)} ms | ${at(sorted, 0.99).toFixed(2)} ms | ${added(0.5)} | ${added(0.99)} | ${Math.round(median(perSecond))} | ${child ? `${Math.round(memoryMb(child))} MB` : '–'} |`,
    )
  }
  const mine = all.find(({ name }) => name.startsWith('mulligan'))
  if (mine && direct)
    for (const [words, share] of [
      ['median', 0.5],
      ['p99', 0.99],
    ] as const)
      figure({
        what: `added to the first content, ${words}`,
        unit: 'ms',
        better: 'less',
        values: Object.fromEntries(
          [mine, ...all.filter(one => one !== mine && one !== direct)].map(({ name, firstMs }) => [
            name,
            at(firstMs, share) - at(direct.firstMs, share),
          ]),
        ),
        aim: share === 0.5 ? 'below 1 ms' : 'below every gateway',
      })
} finally {
  for (const { child, agent } of all) {
    agent.destroy()
    child?.kill('SIGKILL')
  }
  vendor.kill()
}
process.exit()
