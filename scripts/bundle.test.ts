import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { type RolldownPlugin, rolldown } from 'rolldown'
import { describe, expect, it } from 'vitest'
import { threadText } from './built-modules.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = (folder: string) => resolve(root, 'src', folder, 'index.ts')

/** A user's program that is bundled with Mulligan. */
const PROGRAM = `
import { openQueue } from 'mulligan/queue'
import { defineCapability } from 'mulligan/capability'
import { z } from 'zod'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let threads = 0
process.on('worker', () => threads++)
async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-bundled-'))
  const double = defineCapability({
    name: 'double',
    params: z.object({ n: z.number() }),
    retry: 'replay',
    run: async ({ n }) => n * 2,
  })
  const queue = await openQueue({ data: folder, capabilities: [double] })
  const { id } = await queue.submit('double', { n: 21 })
  const runner = queue.runner()
  await runner.start()
  await queue.wait(id)
  const result = await queue.result(id)
  const { items } = await queue.ledger.list({})
  await queue.close()
  console.log(JSON.stringify({ value: result.value, listed: items.length, threads }))
}
main().catch(error => {
  console.error(error)
  process.exit(1)
})
`

/** Resolves the package to its sources, and inserts the reader thread as the build does. */
function asPackage(threadText?: string): RolldownPlugin {
  return {
    name: 'as-package',
    resolveId: id => (id.startsWith('mulligan/') ? source(id.slice('mulligan/'.length)) : undefined),
    load: id =>
      threadText !== undefined && id.endsWith('thread-text.ts')
        ? `export const THREAD_TEXT = ${JSON.stringify(threadText)}`
        : undefined,
  }
}

const FORMATS = ['esm', 'cjs'] as const

/** Bundles the program into one file of each format in an empty folder, runs them there, and returns their output. */
async function bundledAndRun(text?: string): Promise<unknown[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-bundle-'))
  const entry = join(folder, 'program.js')
  writeFileSync(entry, PROGRAM)
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    external: [/^node:/],
    resolve: { modules: [join(root, 'node_modules')] },
    plugins: [asPackage(text)],
    logLevel: 'silent',
  })
  const answers = FORMATS.map(async format => {
    const file = join(folder, format === 'esm' ? 'bundle.mjs' : 'bundle.cjs')
    await bundle.write({ file, format, codeSplitting: false })
    const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', file], { cwd: folder })
    return JSON.parse(stdout) as unknown
  })
  return Promise.all(answers)
}

describe('a program that is bundled with the queue, as ESM and as CommonJS,', () => {
  const answer = { value: 42, listed: 1 }

  it('runs and lists operations, with the reader thread', async () => {
    const withThread = { ...answer, threads: 1 }
    expect(await bundledAndRun(await threadText())).toEqual([withThread, withThread])
  })

  it('does so without the thread too', async () => {
    const without = { ...answer, threads: 0 }
    expect(await bundledAndRun()).toEqual([without, without])
  })
})

/** The globals of browsers and edge runtimes, without Node's. */
function webContext() {
  const { AbortController, AbortSignal, DOMException, TextDecoder, TextEncoder, URL, crypto, performance } =
    globalThis
  return createContext({
    AbortController,
    AbortSignal,
    DOMException,
    TextDecoder,
    TextEncoder,
    URL,
    crypto,
    performance,
    ReadableStream,
    TransformStream,
    Response,
    Headers,
    console: { warn: () => {} },
    // Timers are numbers there.
    setTimeout: (work: () => void, ms?: number) => Number(setTimeout(work, ms)),
    clearTimeout: (timer: number) => clearTimeout(timer),
    queueMicrotask,
  })
}

interface Target {
  platform: 'browser' | 'neutral'
  conditions?: string[]
}

const BROWSER: Target = { platform: 'browser' }

async function bundleFor(folder: string, { platform, conditions }: Target): Promise<string> {
  const bundle = await rolldown({
    input: source(folder),
    platform,
    // What is neutral has no main fields of its own.
    resolve: { mainFields: ['module', 'main'], ...(conditions ? { conditionNames: conditions } : {}) },
    plugins: [
      {
        name: 'no-node',
        resolveId(id) {
          if (id.startsWith('node:')) throw new Error(`mulligan/${folder} imports ${id}`)
        },
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'iife', name: 'mulligan', codeSplitting: false })
  expect(output[0].imports).toEqual([])
  // Dynamic imports are in the same file.
  expect(output[0].dynamicImports.filter(file => file !== output[0].fileName)).toEqual([])
  return output[0].code
}

/** Bundles for calls in a browser, which two tests run. */
const bundles = new Map<string, Promise<string>>()

async function inBrowser(folder: string, target = BROWSER): Promise<(code: string) => unknown> {
  const key = `${folder} ${JSON.stringify(target)}`
  const bundled = bundles.get(key) ?? bundleFor(folder, target)
  bundles.set(key, bundled)
  const context = webContext()
  runInContext(await bundled, context)
  const run = (code: string) => runInContext(code, context) as unknown
  expect(run('typeof process + typeof Buffer + typeof require')).toBe('undefined'.repeat(3))
  return run
}

describe('in a browser or on the edge', () => {
  it('mulligan/failure classifies', async () => {
    const run = await inBrowser('failure')
    expect(run('mulligan.classify(new Error("429 rate limit, try again in 7s")).kind')).toBe('rate_limit')
    expect(
      run('mulligan.classify({ status: 529, headers: {}, body: new Uint8Array([123, 125]) }).class'),
    ).toBe('transient')
    expect(
      run(
        'new mulligan.Signatures("a", { throttle: ["no more tea"] }).match("there is no more tea").label.class',
      ),
    ).toBe('throttle')
  })

  it('@mulligan/core/testing moves its clock', async () => {
    const run = await inBrowser('testing/core')
    expect(run('typeof setImmediate')).toBe('undefined')
    const answer = run(`(async () => {
      const time = new mulligan.FakeTime()
      await time.until(new Promise(resolve => time.after(60000, resolve)))
      return time.monotonic()
    })()`)
    expect(await answer).toBe(60_000)
  })

  it('the optional tracing API is imported within a try, or webpack would refuse a program without it', async () => {
    const input = resolve(root, 'src', 'call', 'tracing.ts')
    const bundle = await rolldown({ input, external: ['@opentelemetry/api'] })
    const { output } = await bundle.generate({ minify: true })
    expect(output[0].dynamicImports).toEqual(['@opentelemetry/api'])
    expect(output[0].code).toMatch(/try\{[^{}]*import\(.@opentelemetry\/api.\)/)
  })

  it('mulligan/verdict decides', async () => {
    const run = await inBrowser('verdict')
    expect(run('Object.keys(mulligan.PRESETS).includes("council")')).toBe(true)
    expect(run('typeof mulligan.decide')).toBe('function')
  })

  it('mulligan/call retries, fails over and holds a council', async () => {
    const run = await inBrowser('call')
    const answer = await run(`(async () => {
      let tries = 0
      const work = async () => {
        tries++
        if (tries === 1) throw Object.assign(new Error('Overloaded'), { status: 529 })
        return 'answer ' + tries
      }
      const { value } = await mulligan.call(work, { provider: 'a', random: () => 0, credential: 'key' })
      const council = await mulligan.council(
        [{ name: 'a', ask: async () => 'yes' }, { name: 'b', ask: async () => 'no' }],
        { prompt: 'well?', quorum: 7 },
      )
      return value + ', ' + council.successes.length
    })()`)
    expect(answer).toBe('answer 2, 2')
  })

  it.each([
    ['a browser', BROWSER],
    [
      'an edge runtime',
      { platform: 'browser' as const, conditions: ['edge-light', 'workerd', 'worker', 'import', 'default'] },
    ],
    ['no platform in particular', { platform: 'neutral' as const, conditions: ['import', 'default'] }],
  ])('mulligan/call judges streams, bundled for %s', async (_for, target) => {
    const run = await inBrowser('call', target)
    const answer = await run(`(async () => {
      const start = 'data: {"type":"message_start","message":{"content":[]}}\\n\\n'
      const word = 'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}\\n\\n'
      const stop = 'data: {"type":"message_delta","delta":{"stop_reason":"max_tokens"}}\\n\\n'
      const body = text => new Response(text, { headers: { 'content-type': 'text/event-stream' } })
      const result = await mulligan.call(({ provider }) => body(provider === 'a' ? start : start + word + stop), {
        pool: ['a', 'b'], firstChunkMs: 60000, maxRetries: 0,
      })
      const text = await result.value.text()
      const cut = await mulligan.call(() => body(start + word))
      const error = await cut.value.text().catch(error => error)
      return [result.provider, text.includes('Hi'), result.finish.as, error.failure.kind].join()
    })()`)
    expect(answer).toBe('b,true,length,stream_cut')
  })
})
