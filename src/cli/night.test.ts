import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../test/ledger/postgres/schema.ts'
import { SurfaceStub } from '../../test/notice/stub.ts'
import { defineCapability } from '../capability/define.ts'
import { readConfig } from '../config/read.ts'
import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts'
import { noticesToActOn } from '../gateway/http/notices-to-act-on.ts'
import { openLedger } from '../ledger/sqlite/sqlite-ledger.ts'
import { showBeforeEnd } from '../notice/inbox.ts'
import { deliveryCapabilities, NoticeService } from '../notice/notice-service.ts'
import { tellingRuleOf } from '../notice/telling-rule.ts'
import type { OpenedQueue } from '../queue/open.ts'
import type { QueueParts } from '../queue/queue-deps.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { testQueue } from '../testing/test-queue.ts'
import { UnknownCollector } from '../unknown/collector.ts'
import { Unknowns } from '../unknown/unknowns.ts'
import { parseArguments } from './flag/arguments.ts'
import { FILTER_OPTIONS, filterOf } from './queue/ops-filter.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

let stub: SurfaceStub
let data: string
let time: FakeTime
let day: Day
beforeEach(async () => {
  stub = await SurfaceStub.start()
  data = mkdtempSync(join(tmpdir(), 'mulligan-night-'))
  // The night passes midnight.
  time = new FakeTime(Date.parse('2026-11-16T23:56:00Z'))
})
afterEach(async () => {
  await day.end()
  await stub.close()
  rmSync(data, { recursive: true, force: true })
})

/** What the world is like. */
const world = { claude: 'up', openai: 'paid', database: 'up', kimi: 'up' }

const TRIES: Record<string, () => unknown> = {
  ask: () => {
    if (world.claude === 'up') return 'answer'
    throw Object.assign(new Error('503 Service Unavailable'), { status: 503 })
  },
  bill: () => {
    if (world.openai === 'paid') return 'answer'
    const error = {
      type: 'insufficient_quota',
      code: 'insufficient_quota',
      message: 'You exceeded your quota',
    }
    throw Object.assign(
      new Error('429 You exceeded your current quota, please check your plan and billing details'),
      {
        status: 429,
        error,
      },
    )
  },
  deploy: () => {
    if (world.database === 'up') return 'deployed'
    throw Object.assign(new Error('connect ECONNREFUSED 10.0.0.5:5432'), { code: 'ECONNREFUSED' })
  },
  odd: () => {
    if (world.kimi === 'up') return 'answer'
    throw new Error('the flux capacitor is misaligned')
  },
}
const PROVIDERS: Record<string, string> = { ask: 'claude', bill: 'openai', odd: 'kimi' }

const surfaces = () =>
  tellingRuleOf(
    readConfig(
      [
        `name = "phone"\nkind = "telegram"\ntoken = "env:TOKEN"\nchat = "1"\nbase_url = "${stub.url}"`,
        `name = "team"\nkind = "slack"\ntoken = "env:TOKEN"\nchat = "#ops"\nbase_url = "${stub.url}"`,
        `name = "issues"\nkind = "github"\nrepo = "me/it"\ntoken = "env:TOKEN"\nbase_url = "${stub.url}"`,
        `name = "hook"\nkind = "webhook"\nurl = "${stub.url}/hook"`,
      ]
        .map(text => `[[surface]]\n${text}\n`)
        .join(''),
      undefined,
    ).trust().config,
  )

/** A database that outlives a restart. */
type Open = () => Promise<
  Pick<QueueParts, 'ledger' | 'engine'> & {
    /** Resolves when everything asked so far is answered. Default: it always is. */
    answered?: () => Promise<unknown>
  }
>

const onSqlite: Open = async () => {
  const ledger = await openLedger({ file: join(data, 'ledger.db'), time })
  return { ledger, engine: new EmbeddedEngine({ ledger }) }
}

const { url } = hasPostgres ? testSchema() : { url: '' }
const onPostgres: Open = async () => {
  const { openPostgresLedger } = await import('../ledger/postgres/postgres-ledger.ts')
  const { PostgresEngine } = await import('../engine/postgres/postgres-engine.ts')
  const ledger = await openPostgresLedger({ database: url, time, connections: 4 })
  return { ledger, engine: new PostgresEngine({ ledger }), answered: () => ledger.database.answered() }
}

const turn = () => new Promise<'later'>(resolve => setImmediate(() => resolve('later')))

/** Waits until a server has nothing to answer for some turns: the clock of the test does not move it. */
async function quiet(answered: () => Promise<unknown>): Promise<void> {
  for (let turns = 0; turns < 20; turns++) {
    const asked = answered()
    if ((await Promise.race([asked, turn()])) !== 'later') continue
    await asked
    turns = 0
  }
}

/** The daemon, from a start to a stop. */
interface Day {
  queue: OpenedQueue
  /** Lets time pass in steps, and every message arrive that is sent meanwhile. */
  pass(ms: number): Promise<void>
  end(): Promise<void>
}

async function begin(open: Open): Promise<Day> {
  const errors: unknown[] = []
  const { ledger, engine, answered } = await open()
  const env = { TOKEN: 'a-token-of-the-test' }
  const telling = surfaces()
  const host = { base: data, env, now: () => time.now() }
  const own = Object.entries(TRIES).map(([name, run]) =>
    defineCapability({
      name,
      params: z.object({}),
      retry: 'replay',
      run,
      ...(PROVIDERS[name] === undefined ? {} : { provider: PROVIDERS[name] }),
    }),
  )
  const { queue } = await testQueue({
    ledger,
    engine,
    time,
    env,
    capabilities: [...own, ...deliveryCapabilities(telling.surfaces, { ledger, host })],
  })
  const onError = (error: unknown) => errors.push(error)
  const collector = new UnknownCollector({ ledger, time, onError })
  const notices = new NoticeService({ ledger, engine, ...telling, time, onError })
  await queue.runner().start()
  await collector.start()
  await notices.start()
  const isSending = async () =>
    (
      await ledger.list({
        state: 'running',
        capability: ['phone', 'team', 'issues', 'hook'].map(name => `notice:${name}`),
      })
    ).items.length > 0
  return {
    queue,
    pass: async ms => {
      for (let left = ms; left > 0; left -= 5 * SECOND) {
        await time.advance(Math.min(left, 5 * SECOND))
        if (answered) await quiet(answered)
        while (await isSending()) await new Promise(resolve => setImmediate(resolve))
      }
    },
    end: async () => {
      await notices.stop()
      await collector.close()
      expect(await ledger.check()).toEqual([])
      await queue.close()
      expect(errors).toEqual([])
    },
  }
}

/** The first lines of the messages that arrived. How many operations had ended by then is a matter of moments. */
const titles = (kind: string) =>
  stub
    .texts(kind)
    .map(text => (kind === 'webhook' ? JSON.parse(text).title : text.split('\n')[0]) as string)
    .map(title => title.replace(/^\d+ operations /, 'Operations '))

/** The message that began with these words, as its readers see it now. */
function now(kind: string, words: string): string {
  const place = stub.arrived.findIndex(message => message.kind === kind && message.text.includes(words))
  const edited = stub.edited.findLast(
    message => message.kind === kind && Number.parseInt(message.reference, 10) === place + 1,
  )
  return edited?.text ?? stub.arrived[place]?.text ?? ''
}

const databases: [string, Open][] = [
  ['SQLite', onSqlite],
  ...(hasPostgres ? [['PostgreSQL', onPostgres] satisfies [string, Open]] : []),
]
it.skipIf(hasPostgres)(WITHOUT_POSTGRES, () => {})

it.each(databases)(
  'one night on %s: each cause is told once, nothing false is told, nothing is missing, and nothing is left to act on',
  async (_database, open) => {
    day = await begin(open)
    const session = 'agent-7'
    const many = (capability: string, count: number, source: string) =>
      day.queue.submitMany(Array.from({ length: count }, () => ({ capability, source, session })))
    Object.assign(world, { claude: 'down', openai: 'spent', database: 'down', kimi: 'odd' })
    await many('ask', 100, 'mcp')
    await many('deploy', 40, 'http')
    await many('bill', 3, 'run')
    await many('odd', 2, 'mcp')
    await day.pass(2 * MINUTE)
    await many('deploy', 20, 'submit')
    await day.pass(MINUTE)
    await day.end()
    // A restart forgets nothing and repeats nothing.
    day = await begin(open)
    await day.pass(3 * MINUTE)
    world.claude = 'up'
    await day.pass(5 * MINUTE)
    const heard = [
      'openai needs payment',
      'claude is down: its calls fail',
      'Unknown failure of kimi: the flux capacitor is misaligned',
      'Operations ended without success: transient/network: connect ECONNREFUSED 10.0.0.5:5432',
      'claude works again',
    ]
    for (const kind of ['telegram', 'slack', 'webhook'])
      expect(titles(kind).toSorted()).toEqual(heard.toSorted())
    expect(titles('github')).toEqual(['Unknown failure of kimi: the flux capacitor is misaligned'])
    // The others joined that message.
    expect(now('telegram', 'ended without success')).toMatch(/^60 operations ended without success/)
    expect(now('telegram', 'claude is down')).toMatch(/^Resolved: claude is down/)
    const { ledger } = day.queue
    expect(await noticesToActOn(ledger)).toMatchObject({
      to_act_on: 62,
      causes: [{ count: 60, message: expect.stringContaining('ECONNREFUSED') }],
    })
    expect(await showBeforeEnd(ledger, session, time.now())).toHaveLength(60)

    // The morning: each message names what helps, and that is done.
    Object.assign(world, { openai: 'paid', database: 'up', kimi: 'up' })
    expect(now('telegram', 'needs payment')).toContain('mulligan providers reset openai')
    await day.queue.health.reset('openai')
    const [, words = ''] =
      /mulligan ops retry (.+) --yes/.exec(now('telegram', 'ended without success')) ?? []
    const { values } = parseArguments(words.split(' '), { usage: '', options: FILTER_OPTIONS })
    await day.queue.apply(await day.queue.preview('retry', filterOf(values, time.now()) ?? { ids: [] }))
    const [, fingerprint = ''] = /mulligan unknowns label (\S+) CLASS/.exec(now('telegram', 'Unknown')) ?? []
    await new Unknowns(ledger).label(fingerprint, { class: 'transient', who: 'ann' })
    await day.pass(2 * MINUTE)

    for (const kind of ['telegram', 'slack', 'webhook'])
      expect(titles(kind).toSorted()).toEqual([...heard, 'openai works again'].toSorted())
    for (const words of ['needs payment', 'claude is down', 'Unknown failure', 'ended without success'])
      for (const kind of ['telegram', 'slack']) expect(now(kind, words)).toMatch(/^Resolved: /)
    expect(stub.issues).toMatchObject([
      { state: 'closed', comments: [{ body: expect.stringContaining('by ann') }] },
    ])
    expect(await day.queue.status()).toMatchObject({ succeeded: 165, dead: 0, parked: { total: 0 }, due: 0 })
    expect(await noticesToActOn(ledger)).toEqual({
      to_act_on: 0,
      causes: [],
      more_causes: 0,
      failed_runs: [],
    })
    expect(await showBeforeEnd(ledger, session, time.now())).toEqual([])
  },
  300_000,
)
