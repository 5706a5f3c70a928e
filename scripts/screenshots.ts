// Takes pictures of every view of the dashboard with the demo in it, wide and narrow, light and dark. `npm run
// screenshots [-- FOLDER [VIEW …]]`; default docs/screenshots and all views.
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { chromiumPath } from './chromium.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** How long the demo plays before the pictures are taken, in milliseconds. */
const PLAY_MS = Number(process.env.PLAY_MS ?? 160_000)

const SIZES = { 1440: { width: 1440, height: 900 }, 390: { width: 390, height: 844 } } as const
const THEMES = ['light', 'dark'] as const

/** How each view is come to; the paths of single things are looked up. */
const VIEWS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  overview: page => open(page, '/'),
  insights: async page => {
    await open(page, '/insights')
    await page.getByRole('button', { name: '1 h' }).click()
    await page.locator('.frequent').waitFor()
  },
  operations: page => open(page, '/operations'),
  operation: async page => {
    // The one with the most tries has the most to tell.
    const answer = await page.request.get('/v1/operations?class=transient&limit=200')
    const { operations } = (await answer.json()) as { operations: { id: string; attempts: number }[] }
    const [richest] = operations.sort((a, b) => b.attempts - a.attempts)
    await open(page, `/operations/${richest?.id}`)
    await page.locator('.timeline').waitFor()
  },
  providers: page => open(page, '/providers'),
  provider: page => open(page, '/providers/claude'),
  runners: page => open(page, '/runners'),
  proxy: page => open(page, '/proxy'),
  audit: page => open(page, '/audit'),
  start: async page => {
    await open(page, '/start')
    await page.getByLabel('Capability').selectOption('translate')
  },
  groups: page => open(page, '/groups'),
  schedules: page => open(page, '/schedules'),
  unknowns: page => open(page, '/unknowns'),
  unknown: async page => {
    await open(page, '/unknowns')
    await page.locator('main .panel a').first().click()
    await page.getByRole('button', { name: 'transient' }).click()
    await page.locator('.would').waitFor()
    await page.evaluate('scrollTo(0, 0)')
  },
  notices: page => open(page, '/notices'),
  workflows: page => open(page, '/workflows'),
  workflow: async page => {
    await open(page, '/workflows')
    await page.locator('main .panel a').first().click()
    await page.locator('.graph svg').waitFor()
  },
  config: page => open(page, '/config'),
}

const [folder = join(ROOT, 'docs', 'screenshots'), ...only] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const demo = spawn(process.execPath, ['bin/mulligan.js', 'demo', '--http-port', '0'], {
  cwd: ROOT,
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const url = await signInUrl()
  const browser = await chromium.launch({ executablePath: chromiumPath() as string })
  const state = await signedIn(browser, url)
  await new Promise(resolve => setTimeout(resolve, PLAY_MS))
  for (const theme of THEMES)
    for (const [size, viewport] of Object.entries(SIZES)) {
      const context = await browser.newContext({
        viewport,
        colorScheme: theme,
        storageState: state,
        baseURL: new URL(url).origin,
      })
      const page = await context.newPage()
      page.setDefaultTimeout(4_000)
      page.on('pageerror', error => process.stderr.write(`${error}\n`))
      page.on('response', answer => {
        if (answer.status() >= 400) process.stderr.write(`${answer.status()} ${answer.url()}\n`)
      })
      for (const [name, come] of Object.entries(VIEWS)) {
        if (only.length > 0 && !only.includes(name)) continue
        try {
          await come(page)
          await page.waitForTimeout(600)
          await page.screenshot({
            path: join(folder, `${name}-${size}-${theme}.png`),
            animations: 'disabled',
          })
        } catch (error) {
          process.stderr.write(`${name}: ${error}\n`)
        }
      }
      if (only.length === 0) {
        const door = await browser.newPage({ viewport, colorScheme: theme })
        await door.goto(`${new URL(url).origin}/sign-in`)
        await door.getByLabel('One-time code').waitFor()
        await door.screenshot({ path: join(folder, `sign-in-${size}-${theme}.png`) })
        await door.close()
      }
      await context.close()
    }
  await browser.close()
} finally {
  demo.kill('SIGTERM')
}

function signInUrl(): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface({ input: demo.stdout }).on('line', line => {
      const [found] = /http:\S+\/sign-in#\S+/.exec(line) ?? []
      if (found) resolve(found)
    })
    demo.once('exit', code => reject(new Error(`the demo ended with ${code}`)))
  })
}

async function signedIn(browser: Browser, url: string) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(url)
  await page.locator('nav[aria-label="Views"]').waitFor({ state: 'attached' })
  const state = await context.storageState()
  await context.close()
  return state
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.locator('main h1').waitFor()
}
