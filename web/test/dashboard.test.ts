import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath } from '../../scripts/chromium.ts'
import { BUILT_COMMAND } from '../../src/cli/test-command.ts'
import { DashboardUnderTest, HOSTILE } from './dashboard-under-test.ts'

const hasChromium = chromiumPath() !== undefined
if (!hasChromium && process.env.CI === 'true')
  throw new Error('these tests need Chromium: put it on PATH, or its file into CHROMIUM')

it('takes less than 90 kB of script, gzipped', () => {
  const folder = join(dirname(BUILT_COMMAND), 'web', 'assets')
  const sizes = readdirSync(folder)
    .filter(name => name.endsWith('.js'))
    .map(name => gzipSync(readFileSync(join(folder, name))).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(90_000)
})

describe.skipIf(!hasChromium)(
  hasChromium ? 'the dashboard' : 'the dashboard (skipped: no Chromium on PATH, and CHROMIUM is not set)',
  () => {
    let dashboard: DashboardUnderTest
    let page: Page
    const troubles: string[] = []
    const ids = { hostile: '', odd: '', refused: '', limited: '', run: '', fingerprint: '' }

    beforeAll(async () => {
      dashboard = await DashboardUnderTest.start()
      const token = 'token-that-nobody-may-see'
      ids.hostile = await dashboard.submit('hostile', { text: HOSTILE, token }, 'dead')
      ids.odd = await dashboard.submit('odd', {}, 'parked')
      ids.refused = await dashboard.submit('refused', {}, 'dead')
      ids.limited = await dashboard.submit('limited', {}, 'scheduled')
      await dashboard.submit('good', {}, 'succeeded')
      const started = await dashboard.api<{ id: string }>('POST', '/v1/workflows/release/runs')
      ids.run = started.id
      const { failure } = await dashboard.api<{ failure: { fingerprint: string } }>(
        'GET',
        `/v1/operations/${ids.odd}`,
      )
      ids.fingerprint = failure.fingerprint
      page = await dashboard.open('/')
      page.on('console', message => message.type() === 'error' && troubles.push(message.text()))
      page.on('pageerror', error => troubles.push(String(error)))
    })
    afterAll(() => dashboard?.close())

    const go = async (path: string) => {
      await page.goto(`${dashboard.url}${path}`)
      await page.locator('main h1').waitFor()
    }

    it('lets in whoever has a code, once, and says what to do about a wrong one', async () => {
      const context = await dashboard.browser.newContext()
      const stranger = await context.newPage()
      await stranger.goto(`${dashboard.url}/operations`)
      await stranger.getByLabel('One-time code').fill('AAAA-AAAA')
      await stranger.getByRole('button', { name: 'Sign in' }).click()
      await expect.poll(() => stranger.getByRole('alert').textContent()).toContain('mulligan http code')
      const code = await dashboard.code()
      await stranger.getByLabel('One-time code').fill(code.toLowerCase())
      await stranger.getByRole('button', { name: 'Sign in' }).click()
      await stranger.getByRole('heading', { name: 'Operations' }).waitFor()
      expect(new URL(stranger.url()).pathname).toBe('/operations')
      await stranger.getByRole('button', { name: 'Sign out' }).click()
      await stranger.getByLabel('One-time code').fill(code)
      await stranger.getByRole('button', { name: 'Sign in' }).click()
      await expect.poll(() => stranger.getByRole('alert').textContent()).toContain('used')
      await context.close()
    })

    it('says in one sentence how things stand, and what needs somebody', async () => {
      await go('/')
      const sentence = await page.locator('h1').textContent()
      expect(sentence).toMatch(/^1 of 2 providers can serve; claude waits until .*1 operation waits for it/)
      expect(sentence).toMatch(/2 things need you\.$/)
      await page.getByRole('link', { name: 'Label it' }).waitFor()
      await page.getByText('within 1 h', { exact: false }).waitFor()
    })

    it('shows a hostile failure as text, wherever it is shown', async () => {
      const paths = [
        '/',
        '/operations',
        `/operations/${ids.hostile}`,
        '/notices',
        '/unknowns',
        `/operations?q=${encodeURIComponent('"<script>"')}`,
      ]
      for (const path of paths) {
        await go(path)
        await page.locator('main .panel').first().waitFor()
        expect(await page.evaluate('document.querySelectorAll("main img, main script").length')).toBe(0)
        expect(await page.evaluate('globalThis.hacked')).toBeUndefined()
        const text = (await page.locator('main').textContent()) as string
        expect(text).not.toMatch(/[\u001b\u0007\u202e\u2066]/)
      }
      await go(`/operations/${ids.hostile}`)
      await page.locator('.tries').waitFor()
      expect(await page.locator('.tries').textContent()).toContain('<script>')
      // Parameters come as they were given, and cannot turn the direction of what stands around them.
      expect(await page.locator('main').textContent()).toContain('\\u202egnp.exe')
      expect(await page.locator('main').textContent()).not.toContain('token-that-nobody-may-see')
    })

    it('tells the whole story of an operation', async () => {
      await go(`/operations/${ids.limited}`)
      await page.getByText('Runs again by itself at', { exact: false }).waitFor()
      await page.locator('.timeline .bar').first().waitFor()
      await page.locator('.try mark').first().waitFor()
      await expect.poll(() => page.locator('.try').first().textContent()).toContain('Verdict')
      await page.getByRole('button', { name: 'Edit and retry …' }).click()
      await page.getByLabel('Parameters (JSON)').fill('{')
      await page.getByRole('button', { name: 'Save and retry' }).click()
      await expect.poll(() => page.getByRole('dialog').textContent()).toContain('This is not JSON')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    })

    it('moves what waits for a label in two clicks, and shows its backtest before', async () => {
      await go('/unknowns')
      await page.getByText('seat leases of the orrery', { exact: false }).click()
      await page.locator('.samples .varying').first().waitFor()
      await page.getByRole('button', { name: 'transient' }).click()
      await page.getByText('none would become wrong', { exact: false }).waitFor()
      expect(await page.locator('.would').textContent()).toContain('orrery')
      expect((await dashboard.api('GET', `/v1/operations/${ids.odd}`)).state).toBe('parked')
      await page.getByRole('button', { name: 'Label as transient · 1 operation moves' }).click()
      await page.getByText('Labelled as transient', { exact: false }).waitFor()
      await page.getByText('Labels in force', { exact: false }).waitFor()
      await go(`/operations/${ids.odd}`)
      await page.getByRole('button', { name: 'Retry now' }).click()
      // Without a reload: the page hears of it.
      await page.locator('.page-head .badge', { hasText: 'succeeded' }).waitFor()
    })

    it('finds operations by a query that stands in the address, and completes it', async () => {
      await go('/operations')
      await page.getByRole('combobox', { name: 'Query' }).waitFor()
      await page.keyboard.press('/')
      // At a pace at which the address changes while more is typed.
      await page.keyboard.type('state:de', { delay: 190 })
      expect(await page.getByRole('combobox', { name: 'Query' }).inputValue()).toBe('state:de')
      await page.getByRole('option', { name: 'state:dead' }).click()
      await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('state:dead')
      await expect.poll(() => page.locator('.rows .row').count()).toBe(2)
      await page.keyboard.type('clas:permanent')
      await expect.poll(() => page.locator('#query-problem').textContent()).toContain('did you mean class:?')
      await page.goBack()
    })

    it('retries in bulk exactly what the preview says', async () => {
      await go('/operations?q=capability%3Arefused')
      await expect.poll(() => page.locator('.rows .row').count()).toBe(1)
      await page.getByRole('button', { name: 'Retry all …' }).click()
      await page.getByText('start afresh, history kept').waitFor()
      expect((await dashboard.api('GET', `/v1/operations/${ids.refused}`)).run).toBe(1)
      await page.getByRole('button', { name: 'Retry 1 operation' }).click()
      await page.getByText('1 revived').waitFor()
      await expect.poll(async () => (await dashboard.api('GET', `/v1/operations/${ids.refused}`)).run).toBe(2)
    })

    it('draws a workflow, says what it waits for, and takes an answer', async () => {
      await go(`/workflows/${ids.run}`)
      await expect.poll(() => page.locator('.graph .box').count()).toBe(3)
      await page.getByText('waits for an answer').waitFor()
      await page.getByRole('button', { name: 'Answer …' }).click()
      await page.getByLabel('approved').selectOption('true')
      await page.getByRole('button', { name: 'Answer', exact: true }).click()
      await page.locator('.page-head .badge', { hasText: 'succeeded' }).waitFor()
    })

    it('shows what happens while it happens, and catches up when it was away', async () => {
      await go('/operations?q=capability%3Agood')
      await expect.poll(() => page.locator('.rows .row').count()).toBeGreaterThan(0)
      const before = await page.locator('.rows .row').count()
      await dashboard.submit('good', {}, 'succeeded')
      await expect.poll(() => page.locator('.rows .row').count(), { timeout: 10_000 }).toBe(before + 1)
      await page.context().setOffline(true)
      await page.getByText('Disconnected: what you see may be old', { exact: false }).waitFor()
      await dashboard.submit('good', {}, 'succeeded')
      await page.context().setOffline(false)
      await expect.poll(() => page.locator('.rows .row').count(), { timeout: 10_000 }).toBe(before + 2)
      await page.locator('.connection[data-state="live"]').waitFor()
    })

    it('draws only what is seen of a long list, and reaches its end', async () => {
      const operation = { capability: 'good', params: {}, at: '2099-01-01T00:00:00Z' }
      const operations = Array.from({ length: 450 }, () => operation)
      await dashboard.api('POST', '/v1/operations/batch', { operations })
      await go('/operations?q=state%3Ascheduled%20capability%3Agood')
      await expect.poll(() => page.locator('.page-head').textContent()).toContain('450 operations')
      const rows = page.locator('.rows .row')
      await rows.first().waitFor()
      expect(await rows.count()).toBeLessThan(60)
      const last = () =>
        page.evaluate(`{
          const box = document.querySelector('.rows')
          box.scrollTop = box.scrollHeight
          Math.max(...[...document.querySelectorAll('.rows [data-index]')].map(row => Number(row.dataset.index)))
        }`)
      await expect.poll(last, { timeout: 10_000 }).toBe(449)
      expect(await rows.count()).toBeLessThan(60)
    })

    it('can be used with the keyboard alone', async () => {
      await go('/')
      await page.keyboard.press('g')
      await page.keyboard.press('o')
      await page.getByRole('heading', { name: 'Operations' }).waitFor()
      await page.locator('.rows .row').first().waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('j')
      await page.keyboard.press('k')
      await page.keyboard.press('x')
      await page.getByText('1 selected', { exact: false }).waitFor()
      const first = await page.locator('.rows [data-index="0"] a').getAttribute('href')
      await page.keyboard.press('Enter')
      await page.locator('.timeline').waitFor()
      expect(new URL(page.url()).pathname).toBe(first)
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keys' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    })

    it('has no serious finding of axe in any view, light or dark, and fits a narrow screen', async () => {
      const views = [
        '/',
        '/operations',
        `/operations/${ids.limited}`,
        '/unknowns?all',
        '/providers',
        '/providers/claude',
        '/schedules',
        '/notices',
        '/config',
        '/workflows',
        `/workflows/${ids.run}`,
        `/unknowns/${ids.fingerprint}`,
      ]
      const found: Record<string, unknown> = {}
      for (const path of views) {
        await go(path)
        await page.locator('main .panel').first().waitFor()
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
          const findings = await dashboard.findings(
            page,
            colorScheme === 'dark' ? ['color-contrast'] : undefined,
          )
          if (findings.length > 0) found[`${path} ${colorScheme}`] = findings
        }
        await page.setViewportSize({ width: 390, height: 844 })
        const wider = await page.evaluate('document.documentElement.scrollWidth - 390')
        if ((wider as number) > 0) found[`${path} 390`] = wider
        await page.setViewportSize({ width: 1280, height: 720 })
      }
      expect(found).toEqual({})
    })

    it('did all of this without an error of its own', () => {
      const own = troubles.filter(text => !/ERR_INTERNET_DISCONNECTED|Failed to load resource/.test(text))
      expect(own).toEqual([])
    })
  },
)
