import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { LEDGER_NAME } from '../src/ledger/location.ts'
import type { Notice } from '../src/ledger/notice.ts'
import { openLedger, type SqliteLedger } from '../src/ledger/sqlite/sqlite-ledger.ts'
import { messageOf } from '../src/notice/message-of.ts'
import { quietly } from '../src/time/clean-up.ts'
import { type StubFault, SurfaceStub } from '../test/notice/stub.ts'
import { fastTime } from './fast-time.ts'
import { runnerProgram } from './runner-program.ts'

// Notices over kill -9: operations die while the process that sends notices is killed at random moments and all surfaces
// fail now and then. Afterwards, what arrived is compared with what should have.

/** The result for one surface. */
export interface SurfaceReport {
  /** Messages that should have arrived. */
  messages: number
  /** Messages that did not arrive. */
  lost: number
  /** Messages that arrived again. */
  twice: number
}

export interface NoticeCrashReport {
  kills: number
  notices: number
  /** Operations without a notice, or with more than one. */
  wrong: number
  /** Faults of the surfaces. */
  faults: number
  surfaces: Record<string, SurfaceReport>
  /** Findings of the ledger check. */
  findings: string[]
}

const FAULTS: readonly StubFault[] = ['429', '500', 'reset', 'hang', 'taken_then_reset']
/** Speed of the clock: a lease of 20 s takes one second. */
const FACTOR = 20

export async function crashNotices({
  kills,
  ops,
}: {
  kills: number
  ops: number
}): Promise<NoticeCrashReport> {
  const data = mkdtempSync(join(tmpdir(), 'mulligan-notices-'))
  const beganAt = Date.now()
  const stub = await SurfaceStub.start()
  let faults = 0
  stub.chooseFault = () => {
    if (Math.random() < 0.6) return 'ok'
    faults++
    return FAULTS[Math.floor(Math.random() * FAULTS.length)] as StubFault
  }
  mkdirSync(join(data, 'bin'))
  mkdirSync(join(data, 'vault'))
  const output = join(data, 'output')
  for (const program of ['notify-send', 'tell']) writeProgram(join(data, 'bin', program), output)
  const ledger = await openLedger({ file: join(data, LEDGER_NAME), time: fastTime(beganAt, FACTOR) })
  let child: ChildProcess | undefined
  const start = async () => {
    const argv = [...runnerProgram('notice-runner'), data, configOf(stub.url), `${beganAt}`, `${FACTOR}`]
    child = spawn(process.execPath, argv, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        PATH: `${join(data, 'bin')}:${process.env.PATH}`,
        TOKEN: 'a-token-of-the-test',
        DISCORD: `${stub.url}/discord`,
      },
    })
    await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), once(child, 'exit')])
  }
  const end = async () => {
    const gone =
      child && child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
    child?.kill('SIGKILL')
    await gone
  }
  try {
    // A surface gets only events after it was first configured.
    await start()
    let made = 0
    for (let kill = 0; kill < kills; kill++) {
      const until = Math.ceil(((kill + 1) * ops) / kills)
      while (made < until) await dieOf(ledger, made++)
      await delay(Math.random() * 700)
      await end()
      await start()
    }
    await settled(ledger, ops)
    await end()
    return await reportOf({ ledger, stub, output, vault: join(data, 'vault'), ops, kills, faults })
  } finally {
    await quietly(() => end())
    await quietly(() => ledger.close())
    await quietly(() => stub.close())
    void quietly(() => rmSync(data, { recursive: true, force: true }))
  }
}

/** Makes an operation whose caller has left and that ends without success. */
async function dieOf(ledger: SqliteLedger, number: number): Promise<void> {
  await ledger.transaction(writes => {
    const [inserted] = writes.insert([{ capability: `work-${number}`, params: {}, source: 'run' }])
    const id = inserted?.id as string
    writes.park(id, { for: 'label', reason: 'for the test' })
    writes.expire(id, 'nothing happened in time')
  })
}

function configOf(url: string): string {
  const surfaces: Record<string, string> = {
    telegram: `token = "env:TOKEN"\nchat = "1"\nbase_url = "${url}"`,
    slack: `token = "env:TOKEN"\nchat = "#ops"\nbase_url = "${url}"`,
    discord: 'webhook = "env:DISCORD"',
    webhook: `url = "${url}/hook"\nsecret = "env:TOKEN"`,
    github: `repo = "me/it"\ntoken = "env:TOKEN"\nbase_url = "${url}"\nevents = ["dead"]`,
    gitea: `repo = "me/it"\ntoken = "env:TOKEN"\nbase_url = "${url}"\nevents = ["dead"]`,
    obsidian: `token = "env:TOKEN"\nbase_url = "${url}"`,
    vault: 'vault = "vault"',
    desktop: '',
    command: 'argv = ["tell"]',
  }
  return Object.entries(surfaces)
    .map(
      ([name, keys]) =>
        `[[surface]]\nname = "${name}"\nkind = "${name === 'vault' ? 'obsidian' : name}"\ngather = "0s"\n${keys}\n`,
    )
    .join('\n')
}

/** Writes a program that records its input and sometimes fails, before or after. */
function writeProgram(file: string, output: string): void {
  writeFileSync(
    file,
    `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs')
const name = require('node:path').basename(__filename)
if (Math.random() < 0.2) process.exit(1)
const text = name === 'tell' ? readFileSync(0, 'utf8') : process.argv.slice(2).join('\\n')
appendFileSync(${JSON.stringify(output)}, JSON.stringify({ name, text }) + '\\n')
if (Math.random() < 0.2) process.exit(1)
`,
  )
  chmodSync(file, 0o755)
}

/** Waits until every delivery has ended. Gives up after two minutes without progress; the rest is reported as lost. */
async function settled(ledger: SqliteLedger, ops: number): Promise<void> {
  let last = ''
  let changedAt = performance.now()
  for (;;) {
    const [made, pending] = [await allNotices(ledger), await allDeliveries(ledger)]
    const open = pending.filter(({ state }) => state === 'pending').length
    if (made.length >= ops && pending.length >= ops * SURFACES.length && open === 0) return
    const now = `${made.length} ${pending.length} ${open}`
    if (now !== last) changedAt = performance.now()
    last = now
    if (performance.now() - changedAt > 120_000) return
    await delay(200)
  }
}

const SURFACES = [
  'telegram',
  'slack',
  'discord',
  'webhook',
  'github',
  'gitea',
  'obsidian',
  'vault',
  'desktop',
  'command',
] as const

async function allNotices(ledger: SqliteLedger): Promise<readonly Notice[]> {
  return (await ledger.notices({ expired: true }, { limit: 1_000 })).items
}

async function allDeliveries(ledger: SqliteLedger) {
  const pages = await Promise.all(SURFACES.map(surface => ledger.deliveries({ surface }, { limit: 1_000 })))
  return pages.flatMap(({ items }) => items)
}

interface Arrivals {
  ledger: SqliteLedger
  stub: SurfaceStub
  /** File with the output of the programs. */
  output: string
  vault: string
  ops: number
  kills: number
  faults: number
}

async function reportOf({
  ledger,
  stub,
  output,
  vault,
  ops,
  kills,
  faults,
}: Arrivals): Promise<NoticeCrashReport> {
  const notices = await allNotices(ledger)
  const perOperation = Map.groupBy(notices, ({ operation }) => operation)
  const programs = existsSync(output)
    ? readFileSync(output, 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as { name: string; text: string })
    : []
  const texts = (surface: string): string[] => {
    if (surface === 'desktop' || surface === 'command') {
      const name = surface === 'desktop' ? 'notify-send' : 'tell'
      return programs.filter(program => program.name === name).map(({ text }) => text)
    }
    if (surface === 'vault') return readFileSync(join(vault, 'Mulligan.md'), 'utf8').split(/^## /m).slice(1)
    if (surface === 'webhook') return distinct(stub.arrived.filter(({ kind }) => kind === 'webhook'))
    return stub.texts(surface)
  }
  const byId = new Map(notices.map(notice => [notice.id, notice]))
  const deliveries = await allDeliveries(ledger)
  const surfaces: Record<string, SurfaceReport> = {}
  for (const surface of SURFACES) {
    const arrived = texts(surface).map(plain)
    const own = deliveries.filter(delivery => delivery.surface === surface)
    const messages = [...Map.groupBy(own, ({ operation }) => operation).values()].map(group => {
      const inIt = group.map(({ notice }) => byId.get(notice) as Notice).reverse()
      return messageOf('', inIt as [Notice, ...Notice[]])
    })
    const counts = messages.map(({ title, text }) => {
      // The first operation in a message appears in no other message.
      const [first] = /op_\d+/.exec(text) ?? ['']
      const isIt = new RegExp(`\\b${first}\\b`)
      return arrived.filter(each => each.includes(plain(title)) && isIt.test(each)).length
    })
    const undelivered = ops - own.filter(({ state }) => state === 'delivered').length
    surfaces[surface] = {
      messages: messages.length,
      lost: Math.max(counts.filter(count => count === 0).length, undelivered),
      twice: counts.reduce((sum, count) => sum + Math.max(0, count - 1), 0),
    }
  }
  const findings = (await ledger.check()).map(({ rule }) => rule)
  const wrong =
    [...perOperation.values()].filter(group => group.length !== 1).length + ops - perOperation.size
  return { kills, notices: notices.length, wrong, faults, surfaces, findings }
}

/** Drops duplicates by delivery id, as a webhook receiver would. */
function distinct(arrived: SurfaceStub['arrived']): string[] {
  return [...new Map(arrived.map(each => [each.headers['mulligan-delivery'], each.text])).values()]
}

/** Removes escapes. */
function plain(text: string): string {
  return text
    .replaceAll(/[\\\u2060]/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
}
