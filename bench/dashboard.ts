import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { buildWeb } from '../scripts/build-web.ts'
import { chromiumPath } from '../scripts/chromium.ts'
import { LEDGER_NAME } from '../src/ledger/location.ts'
import { figure } from './figures.ts'
import { COMMON_WORD, RARE_WORD, worldIn } from './filters-world.ts'
import { median } from './measure.ts'

// The dashboard of a real daemon over a million operations, in the Chromium of this machine: first paint, filters, and
// whether scrolling ever stalls.
//
// SIZE=1000000 operations; WORLD= folder to keep them for the next run (that of bench/http.ts is the same).

const SIZE = Number(process.env.SIZE ?? 1_000_000)
const ROUNDS = 5
const BIN = fileURLToPath(new URL('../bin/mulligan.js', import.meta.url))
const QUERIES = [
  '',
  'state:dead',
  'state:parked',
  'class:throttle state:dead',
  'provider:spare kind:dns',
  COMMON_WORD,
  RARE_WORD,
  'since:2026-01-20T00:00:00Z before:2026-01-21T00:00:00Z',
]
const say = (line = '') => process.stdout.write(`${line}\n`)

const kept = process.env.WORLD
const data = kept ?? mkdtempSync(join(tmpdir(), 'mulligan-dashboard-bench-'))
mkdirSync(data, { recursive: true, mode: 0o700 })
await buildWeb(fileURLToPath(new URL('../dist/web', import.meta.url)))
await (await worldIn(join(data, LEDGER_NAME), SIZE, say)).close()
const config = join(data, 'dashboard.toml')
writeFileSync(config, `[queue]\ndata = "${data}"\n`)
const daemon = spawn(process.execPath, [BIN, 'serve', '--config', config, '--http-port', '0'], {
  stdio: ['ignore', 'ignore', 'pipe'],
})
try {
  const url = await new Promise<string>((resolve, reject) => {
    let text = ''
    daemon.stderr.on('data', chunk => {
      text += chunk
      const found = /listening on (http:[^;]+);/.exec(text)
      if (found) resolve(found[1] as string)
    })
    daemon.once('exit', code => reject(new Error(`the daemon ended with ${code}: ${text}`)))
  })
  const token = readFileSync(join(data, 'http.token'), 'utf8').trim()
  const code = (await (
    await fetch(`${url}/v1/sign_in_codes`, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
  ).json()) as { code: string }
  const browser = await chromium.launch({ executablePath: chromiumPath() as string, args: ['--no-sandbox'] })
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  page.setDefaultTimeout(60_000)
  await page.goto(`${url}/sign-in#${code.code}`)
  await page.locator('main h1').waitFor()
  await paints(page, url)
  await filters(page, url)
  await types(page, url)
  await scrolls(page, url)
  await browser.close()
} finally {
  daemon.kill('SIGTERM')
  await new Promise(resolve => daemon.once('exit', resolve))
  if (kept === undefined) rmSync(data, { recursive: true, force: true })
}

async function paints(page: Page, url: string): Promise<void> {
  for (const path of ['/', '/operations']) {
    const first: number[] = []
    const whole: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now()
      await page.goto(`${url}${path}`)
      await page
        .locator(path === '/' ? '.tiles strong' : '.rows .row a')
        .first()
        .waitFor()
      whole.push(performance.now() - began)
      first.push(
        (await page.evaluate(
          `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN`,
        )) as number,
      )
    }
    figure({
      what: `${path} with its data`,
      unit: 'ms',
      better: 'less',
      values: { dashboard: median(whole) },
      aim: '1 s',
    })
    say(`${path}: first paint ${median(first).toFixed(0)} ms, with data ${median(whole).toFixed(0)} ms`)
  }
}

async function filters(page: Page, url: string): Promise<void> {
  for (const query of QUERIES) {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now()
      await page.goto(`${url}/operations?q=${encodeURIComponent(query)}`)
      await page.locator('.rows .row a, .empty').first().waitFor()
      times.push(performance.now() - began)
    }
    say(`query ${JSON.stringify(query)}: rows after ${median(times).toFixed(0)} ms, page included`)
  }
}

/** Types a query into the open page, and looks at how long the page ever did nothing else. */
async function types(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/operations`)
  await page.locator('.rows .row a').first().waitFor()
  await page.evaluate(`{
    globalThis.long = []
    new PerformanceObserver(list => long.push(...list.getEntries().map(({ duration }) => duration)))
      .observe({ type: 'longtask', buffered: false })
  }`)
  await page.keyboard.press('/')
  await page.keyboard.type('state:dead', { delay: 60 })
  const began = performance.now()
  // Asked again and again from here: the page's policy lets nobody evaluate a text within it.
  while (
    !(await page.evaluate(`{
      const states = [...document.querySelectorAll('.rows .row .cell-state')]
      states.length > 0 && states.every(({ textContent }) => textContent === 'dead')
    }`))
  )
    await page.waitForTimeout(10)
  const ms = performance.now() - began
  const long = (await page.evaluate('long')) as number[]
  say(
    `typed a query: its rows ${ms.toFixed(0)} ms after the last letter; ${long.length} tasks over 50 ms${longest(long)}`,
  )
}

function longest(tasks: readonly number[]): string {
  return tasks.length > 0 ? ` (longest ${Math.max(...tasks).toFixed(0)} ms)` : ''
}

/** Scrolls through thousands of rows, and looks at how long the page ever took for a frame. */
async function scrolls(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/operations`)
  await page.locator('.rows .row a').first().waitFor()
  const found = (await page.evaluate(`new Promise(resolve => {
    const box = document.querySelector('.rows')
    const frames = []
    const long = []
    new PerformanceObserver(list => long.push(...list.getEntries().map(({ duration }) => duration)))
      .observe({ type: 'longtask', buffered: false })
    let last = performance.now()
    let count = 0
    const step = now => {
      frames.push(now - last)
      last = now
      box.scrollTop += 220
      count += 1
      if (count < 1200) requestAnimationFrame(step)
      else {
        const rows = document.querySelectorAll('.rows .row')
        resolve({ frames, long, passed: box.scrollTop / rows[0].clientHeight, rows: rows.length })
      }
    }
    requestAnimationFrame(step)
  })`)) as { frames: number[]; long: number[]; passed: number; rows: number }
  const sorted = [...found.frames].sort((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] as number).toFixed(0)
  say(
    `scrolled ${Math.round(found.passed)} rows in 1,200 frames: median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(0.9999)} ms; ${found.long.length} tasks over 50 ms${longest(found.long)}; ${found.rows} rows drawn at a time`,
  )
}
