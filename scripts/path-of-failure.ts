import { Session } from 'node:inspector/promises'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { runAgent } from '../src/agent/index.ts'
import { defineCapability } from '../src/capability/index.ts'
import { call, classify } from '../src/index.ts'
import { FakeTime, testQueue } from '../src/testing/index.ts'
import { Stubs } from '../test/agent/stub.ts'

// Measures how much code one failure passes, which is how much a reader must follow. Each case runs twice, the second time
// under V8's coverage, so one-time work (the catalogue, the schema) is not counted. With `--list`, it names them.

/** One path of a failure. */
export interface Case {
  name: string
  /** Prepares everything that exists before the failure. Returns the code to measure. */
  prepare(): Promise<{ fail(): Promise<unknown>; close?(): Promise<void> }>
}

/** The amount of code between a failure and its verdict. */
export interface Passed {
  name: string
  files: number
  functions: number
  /** Number of files by folder of `src`. */
  folders: ReadonlyMap<string, number>
  /** The names of the functions that ran, by file. */
  names: ReadonlyMap<string, readonly string[]>
}

const OVERLOADED = 'Overloaded'
const LIMIT = "You've hit your limit"
const UNKNOWN = ['the flux capacitor is detuned', 'the warp coil is out of tune']
const stubs = new Stubs()

/** An error as SDKs throw it. */
function sdkError(): Error {
  return Object.assign(new Error(`529 ${OVERLOADED}`), {
    status: 529,
    headers: new Headers({ 'request-id': 'req_1' }),
    error: { type: 'error', error: { type: 'overloaded_error', message: OVERLOADED } },
  })
}

const CASES: readonly Case[] = [
  {
    name: 'SDK error in call()',
    prepare: async () => {
      const work = () => Promise.reject(sdkError())
      return { fail: () => call(work, { provider: 'anthropic', maxRetries: 0 }).catch(() => {}) }
    },
  },
  {
    name: 'CLI output in classify()',
    prepare: async () => {
      const result = {
        exitCode: 1,
        stdout: '{"type":"result","subtype":"success","is_error":true,"result":"You have hit your limit"}\n',
        stderr: '',
      }
      return { fail: async () => classify(result, { provider: 'claude' }) }
    },
  },
  {
    name: 'claude run',
    prepare: async () => {
      const result = { type: 'result', subtype: 'success', is_error: true, result: LIMIT }
      const binary = stubs.make('claude', `out(${JSON.stringify(result)}); end(1)`)
      return { fail: () => runAgent({ id: 'claude', cli: 'claude', binary }, { prompt: 'fix it' }) }
    },
  },
  {
    name: 'queue to settle',
    prepare: async () => {
      const time = new FakeTime()
      const capability = defineCapability({
        name: 'work',
        params: z.object({}),
        retry: 'replay',
        maxRetries: 0,
        provider: 'anthropic',
        run: (): Promise<never> => Promise.reject(sdkError()),
      })
      const { queue } = await testQueue({ capabilities: [capability], time })
      await queue.runner().start()
      return {
        fail: async () => time.until(queue.wait((await queue.submit('work', {})).id)),
        close: () => queue.close(),
      }
    },
  },
  {
    name: 'label to move',
    prepare: async () => {
      const time = new FakeTime()
      let kind = 0
      const capability = defineCapability({
        name: 'work',
        params: z.object({}),
        retry: 'replay',
        run: (): Promise<never> => Promise.reject(new Error(UNKNOWN[kind])),
      })
      const { queue } = await testQueue({ capabilities: [capability], time })
      await queue.runner().start()
      /** An operation that is parked for a label, and its label. */
      const parked = async () => {
        const { id } = await queue.submit('work', {})
        await time.advance(5_000)
        const { state, failure } = (await queue.ledger.get(id)) ?? {}
        if (state !== 'parked' || failure === undefined)
          throw new Error(`no longer unknown: ${UNKNOWN[kind]}`)
        kind++
        const { fingerprint } = failure
        return { id, label: { fingerprint, class: 'permanent', kind: 'not_found', who: 'ada' } as const }
      }
      const waiting = [await parked(), await parked()]
      return {
        fail: async () => {
          const { id, label } = waiting.shift() as (typeof waiting)[number]
          await queue.ledger.transaction(writes => writes.addLabel(label))
          return time.until(queue.wait(id))
        },
        close: () => queue.close(),
      }
    },
  },
]

/** Runs one case, and counts the files and functions of `src` that ran. */
export async function passedBy({ name, prepare }: Case, root: string): Promise<Passed> {
  const { fail, close } = await prepare()
  await fail()
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await fail()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  await close?.()
  const folders = new Map<string, number>()
  const names = new Map<string, string[]>()
  let functions = 0
  let files = 0
  for (const script of result) {
    if (!script.url.startsWith(root) || script.url.includes('/testing/')) continue
    const ran = script.functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
    if (ran.length === 0) continue
    const file = script.url.slice(root.length)
    const folder = file.split('/')[0] as string
    folders.set(folder, (folders.get(folder) ?? 0) + 1)
    names.set(
      file,
      ran.map(({ functionName }) => functionName || '=>'),
    )
    functions += ran.length
    files++
  }
  return { name, files, functions, folders, names }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = new URL('../src/', import.meta.url).href
  for (const one of CASES) {
    const { name, files, functions, folders, names } = await passedBy(one, root)
    const where = [...folders].map(([folder, count]) => `${folder} ${count}`).join(', ')
    process.stdout.write(`${name}: ${files} files, ${functions} functions (${where})\n`)
    if (!process.argv.includes('--list')) continue
    for (const [file, functions] of names) process.stdout.write(`  ${file}: ${functions.join(', ')}\n`)
  }
}
