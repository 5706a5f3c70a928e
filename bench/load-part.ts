import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'

// One process of bench/load.ts, on the sources that it names: submits, runs or asks how things stand. Prints a line when it
// is ready and one with its figures when it is done; a line on stdin begins it, and the end of stdin ends it.

const [root = '', data = '', role = '', count = '0'] = process.argv.slice(2)
const load = (path: string) => import(pathToFileURL(`${root}/src/${path}`).href)
const { defineCapability } = (await load(
  'capability/index.ts',
)) as typeof import('../src/capability/index.ts')
const { openQueue } = (await load('queue/index.ts')) as typeof import('../src/queue/index.ts')

const work = defineCapability({
  name: 'work',
  params: z.object({ n: z.number() }).loose(),
  retry: 'replay',
  run: () => {},
})
const lines = createInterface({ input: process.stdin })
const begun = new Promise<void>(resolve => lines.once('line', () => resolve()))
const ended = new Promise<void>(resolve => lines.once('close', () => resolve()))
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)

const taken: number[] = []
async function timed(ask: () => Promise<unknown>): Promise<void> {
  const start = performance.now()
  await ask()
  taken.push(performance.now() - start)
}

async function open() {
  return openQueue({ data, capabilities: [work] })
}

async function submit(): Promise<void> {
  const queue = await open()
  say('ready')
  await begun
  for (let n = 0; n < Number(count); n++)
    await timed(() => queue.submit('work', { n, file: `/home/ada/notes/2026-01-${n}.md`, words: 200 }))
  tell()
  await queue.close()
}

async function run(): Promise<void> {
  const queue = await open()
  await queue.runner({ concurrency: 8 }).start()
  say('ready')
  await ended
  tell()
  await queue.close()
}

/** As the command does it: opened, asked and closed, each time. */
async function status(): Promise<void> {
  say('ready')
  await begun
  let isEnded = false
  void ended.then(() => {
    isEnded = true
  })
  while (!isEnded) {
    await timed(async () => {
      const queue = await open()
      await queue.status()
      await queue.close()
    })
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  tell()
}

function tell(): void {
  const sorted = taken.sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1_024)
  say({ worst: at(1), p95: at(0.95), median: at(0.5), megabytes })
}

const parts: Record<string, () => Promise<void>> = { submit, run, status }
await parts[role]?.()
process.exit()
