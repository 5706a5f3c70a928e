import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath } from '../../scripts/chromium.ts'
import { BUILT_COMMAND } from '../../test/cli/command.ts'
import { DashboardUnderTest, HOSTILE } from './dashboard-under-test.ts'

const hasChromium = chromiumPath() !== undefined
if (!hasChromium && process.env.CI === 'true')
  throw new Error('these tests need Chromium: put it on PATH, or its file into CHROMIUM')

/** Long enough for a busy machine; an idle one does not wait this long. */
const PATIENCE_MS = 30_000
const soon = <T>(look: () => T) => expect.poll(look, { timeout: PATIENCE_MS })

it('takes less than 110 kB of script, gzipped', () => {
  const folder = join(dirname(BUILT_COMMAND), 'web', 'assets')
  const sizes = readdirSync(folder)
    .filter(name => name.endsWith('.js'))
    .map(name => gzipSync(readFileSync(join(folder, name))).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(110_000)
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
      const params = { what: HOSTILE }
      const started = await dashboard.api<{ id: string }>('POST', '/v1/workflows/release/runs', { params })
      ids.run = started.id
      const { failure } = await dashboard.api<{ failure: { fingerprint: string } }>(
        'GET',
        `/v1/operations/${ids.odd}`,
      )
      ids.fingerprint = failure.fingerprint
      page = await dashboard.open('/')
      page.on('console', message => message.type() === 'error' && troubles.push(message.text()))
      page.on('pageerror', error => troubles.push(String(error)))
    }, 4 * PATIENCE_MS)
    afterAll(() => dashboard?.close(), PATIENCE_MS)

    const go = (path: string) => dashboard.visit(page, path)
    /** Goes there by the address, with a page that has just been loaded. */
    const load = async (path: string) => {
      await page.goto(`${dashboard.url}${path}`)
      await page.locator('main h1').waitFor()
    }

    /** Nothing on the page came from a text as markup, as a control character or as a mark of direction. */
    const expectPlain = async (where: string) => {
      expect(await page.evaluate('document.querySelectorAll(".frame img, .frame script").length')).toBe(0)
      expect(await page.evaluate('globalThis.hacked')).toBeUndefined()
      const seen = (await page.evaluate(`[
        document.title,
        document.querySelector('.frame').textContent,
        ...[...document.querySelectorAll('.frame *')].flatMap(({ attributes }) => [...attributes].map(({ value }) => value)),
      ].join(' ')`)) as string
      expect(seen, where).not.toMatch(/[\u001b\u0007\u202e\u2066]/)
    }

    /** Hides the page or shows it again, as far as the page can tell. */
    const see = (state: 'hidden' | 'visible') =>
      page.evaluate(`
        Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      `)

    it('accepts a code once, and says what to do about a wrong one', async () => {
      const context = await dashboard.browser.newContext()
      const stranger = await context.newPage()
      const errors: Error[] = []
      stranger.on('pageerror', error => errors.push(error))
      await stranger.goto(`${dashboard.url}/operations#%zz`)
      await stranger.getByLabel('One-time code').fill('AAAA-AAAA')
      await stranger.getByRole('button', { name: 'Sign in' }).click()
      await soon(() => stranger.getByRole('alert').textContent()).toContain('mulligan http code')
      const code = await dashboard.code()
      await stranger.getByLabel('One-time code').fill(code.toLowerCase())
      await stranger.getByRole('button', { name: 'Sign in' }).click()
      await stranger.getByRole('heading', { name: 'Operations' }).waitFor()
      expect(new URL(stranger.url()).pathname).toBe('/operations')
      await stranger.getByRole('button', { name: 'Sign out' }).click()
      await stranger.getByLabel('One-time code').fill(code)
      await stranger.getByRole('button', { name: 'Sign in' }).click()
      await soon(() => stranger.getByRole('alert').textContent()).toContain('used')
      expect(errors).toEqual([])
      await context.close()
    })

    it('says the state in one sentence, and what needs a person', async () => {
      await go('/')
      const sentence = () => page.locator('h1').textContent()
      await soon(sentence).toMatch(
        /^1 of 2 providers can serve; claude cannot serve until .*1 operation waits for it/,
      )
      // A failure to label, a question to answer, and two operations that died of different things.
      await soon(sentence).toMatch(/4 things need you\.$/)
      await page.getByRole('link', { name: 'Label it' }).waitFor()
      await page.getByText('1 operation waits for your label').waitFor()
      await page.getByText('refused was refused').waitFor()
      await page.getByText('within 1 h', { exact: false }).waitFor()
    })

    it('shows hostile text as text, wherever it is shown', async () => {
      await dashboard.api('POST', '/v1/providers/codex/pause', { reason: HOSTILE })
      const paths: Record<string, string> = {
        '/': '.needs',
        '/operations': '.rows .row',
        [`/operations/${ids.hostile}`]: '.tries',
        '/notices': '.notices',
        '/unknowns': '.unknowns',
        '/providers': '.provider-card',
        '/providers/codex': '.health',
        '/workflows': '.unknowns',
        [`/workflows/${ids.run}`]: '.graph .box',
        [`/operations?q=${encodeURIComponent('"<script>"')}`]: '.rows .row',
      }
      for (const [path, place] of Object.entries(paths)) {
        await load(path)
        await page.locator(`main ${place}`).first().waitFor()
        await expectPlain(path)
      }
      await dashboard.api('POST', '/v1/providers/codex/resume')
      await go(`/operations/${ids.hostile}`)
      await page.locator('.tries').waitFor()
      expect(await page.locator('.tries').textContent()).toContain('<script>')
      // Parameters come as they were given, and cannot turn the direction of what stands around them.
      expect(await page.locator('main').textContent()).toContain('\\u202egnp.exe')
      expect(await page.locator('main').textContent()).not.toContain('token-that-nobody-may-see')
    })

    it('shows the whole story of an operation', async () => {
      await go(`/operations/${ids.limited}`)
      await page.getByText('Runs again automatically at', { exact: false }).waitFor()
      await page.locator('.timeline .bar').first().waitFor()
      await page.locator('.try mark').first().waitFor()
      await soon(() => page.locator('.try').first().textContent()).toMatch(
        /Verdict: (?:wait until|try again after) /,
      )
      await page.getByRole('button', { name: 'Edit and retry …' }).click()
      await page.getByLabel('Parameters (JSON)').fill('{')
      await page.getByRole('button', { name: 'Save and retry' }).click()
      await soon(() => page.getByRole('dialog').textContent()).toContain('This is not JSON')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    })

    it('releases operations that wait for a label in two clicks, after showing the backtest', async () => {
      await go('/unknowns')
      await page.getByText('seat leases of the orrery', { exact: false }).click()
      await page.locator('.samples .varying').first().waitFor()
      await page.getByRole('button', { name: 'transient' }).click()
      await page.getByText('none would become wrong', { exact: false }).waitFor()
      expect(await page.locator('.would').textContent()).toContain('orrery')
      expect((await dashboard.api('GET', `/v1/operations/${ids.odd}`)).state).toBe('parked')
      const [labelled] = await Promise.all([
        page.waitForRequest(request => request.url().endsWith('/label')),
        page.getByRole('button', { name: 'Label as transient · 1 operation continues' }).click(),
      ])
      // Force is for labels that would make other classifications wrong.
      expect(labelled.postDataJSON()).toEqual({ class: 'transient' })
      await page.getByText('Labelled as transient', { exact: false }).waitFor()
      await page.getByText('Labels in force', { exact: false }).waitFor()
      await go(`/operations/${ids.odd}`)
      await page.getByRole('button', { name: 'Retry now' }).click()
      // Without a reload: the page gets the event.
      await page.locator('.page-head .badge', { hasText: 'succeeded' }).waitFor()
    })

    it('finds operations by a query in the address, and completes the query', async () => {
      await go('/operations')
      await page.getByRole('combobox', { name: 'Query' }).waitFor()
      await page.keyboard.press('/')
      // Slowly enough that the address changes while more is typed.
      await page.keyboard.type('state:de', { delay: 190 })
      expect(await page.getByRole('combobox', { name: 'Query' }).inputValue()).toBe('state:de')
      await page.getByRole('option', { name: 'state:dead' }).click()
      await soon(() => new URL(page.url()).searchParams.get('q')).toBe('state:dead')
      await soon(() => page.locator('.rows .row').count()).toBe(2)
      // Letters that are keys elsewhere.
      await page.keyboard.type('clas:jogkx')
      expect(await page.getByRole('combobox', { name: 'Query' }).inputValue()).toContain('clas:jogkx')
      await soon(() => page.locator('#query-problem').textContent()).toContain('did you mean class:?')
      await page.goBack()
    })

    it('retries in bulk exactly what the preview says', async () => {
      await go('/operations?q=capability%3Arefused')
      await soon(() => page.locator('.rows .row').count()).toBe(1)
      await page.getByRole('button', { name: 'Retry all …' }).click()
      await page.getByText('to run again, history kept').waitFor()
      expect((await dashboard.api('GET', `/v1/operations/${ids.refused}`)).run).toBe(1)
      await page.getByRole('button', { name: 'Retry 1 operation' }).click()
      await page.getByText('1 runs again').waitFor()
      await soon(async () => (await dashboard.api('GET', `/v1/operations/${ids.refused}`)).run).toBe(2)
    })

    it('draws a workflow, says what it waits for, and takes an answer', async () => {
      await go(`/workflows/${ids.run}`)
      await soon(() => page.locator('.graph .box').count()).toBe(3)
      expect(await page.locator('.graph a').first().getAttribute('href')).toMatch(/^\/operations\/op_/)
      await page.getByText('Waits for an answer').waitFor()
      await page.getByRole('button', { name: 'Answer …' }).click()
      await page.getByLabel('approved').selectOption('true')
      await page.getByRole('button', { name: 'Answer', exact: true }).click()
      await page.locator('.page-head .badge', { hasText: 'succeeded' }).waitFor()
    })

    it('asks before an operation may take effect twice or is deleted, and runs it with other parameters', async () => {
      const once = await dashboard.submit('once', {}, 'dead')
      const picky = await dashboard.submit('picky', { n: 1 }, 'dead')
      await go(`/operations/${once}`)
      await page.getByRole('button', { name: 'Retry now' }).click()
      await page.getByText('it may already have taken effect, and nothing can check that').waitFor()
      await page.getByRole('button', { name: 'Leave unchanged' }).click()
      expect((await dashboard.api('GET', `/v1/operations/${once}`)).run).toBe(1)
      await page.getByRole('button', { name: 'Retry now' }).click()
      await page.getByRole('button', { name: 'Run it again' }).click()
      await soon(async () => (await dashboard.api('GET', `/v1/operations/${once}`)).run).toBe(2)
      await go(`/operations/${picky}`)
      await page.getByRole('button', { name: 'Edit and retry …' }).click()
      await page.getByLabel('Parameters (JSON)').fill('{"n": "seven"}')
      await page.getByRole('button', { name: 'Save and retry' }).click()
      await soon(() => page.getByRole('dialog').textContent()).toContain('n: must be a number')
      await page.getByLabel('Parameters (JSON)').fill('{"n": 7}')
      await page.getByRole('button', { name: 'Save and retry' }).click()
      await page.locator('.page-head .badge', { hasText: 'succeeded' }).waitFor()
      // One that waits for its time runs at once, too.
      const later = { capability: 'picky', params: { n: 1 }, at: '2099-01-01T00:00:00Z' }
      const { id } = await dashboard.api<{ id: string }>('POST', '/v1/operations', later)
      await go(`/operations/${id}`)
      await page.getByRole('button', { name: 'Edit and run …' }).click()
      await page.getByLabel('Parameters (JSON)').fill('{"n": 7}')
      await page.getByRole('button', { name: 'Save and run' }).click()
      await page.locator('.page-head .badge', { hasText: 'succeeded' }).waitFor()
      // One that is held runs when its provider serves, whatever is pressed: the way there is offered.
      await dashboard.api('POST', `/v1/operations/${ids.limited}/retry`)
      await go(`/operations/${ids.limited}`)
      await page.getByRole('link', { name: 'Open the provider' }).waitFor()
      expect(await page.getByRole('button', { name: /(Retry|Run) now/ }).count()).toBe(0)
      await go('/operations?q=capability%3Aonce')
      await page.getByRole('button', { name: 'Retry all …' }).click()
      await page.getByText(/may already have taken effect, and nothing can check that/).waitFor()
      await page.getByRole('button', { name: 'Retry all the same' }).waitFor()
      // Nothing of it is safe.
      expect(await page.getByRole('button', { name: /safe$/ }).count()).toBe(0)
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Cancel all …' }).click()
      await page.getByText('to leave unchanged').waitFor()
      expect(await page.getByRole('button', { name: 'Cancel 0 operations' }).isDisabled()).toBe(true)
      await page.keyboard.press('Escape')
      await go(`/operations/${picky}`)
      await page.getByRole('button', { name: 'Discard …' }).click()
      await page.getByText('This cannot be taken back').waitFor()
      await page.getByRole('button', { name: 'Discard', exact: true }).click()
      await page.getByText('Discarded').waitFor()
      expect(new URL(page.url()).pathname).toBe('/operations')
    })

    it('resumes an operation without a label, and shows the hostile sample of its failure as text', async () => {
      const id = await dashboard.submit('strange', {}, 'parked')
      await go(`/operations/${id}`)
      await page.getByRole('link', { name: 'Label this failure' }).click()
      await page.locator('.samples').waitFor()
      await page.getByRole('button', { name: 'permanent' }).click()
      await page.locator('.would').waitFor()
      await expectPlain('samples')
      await page.goBack()
      await page.getByRole('button', { name: 'Resume' }).click()
      await page.locator('.page-head .badge', { hasText: 'succeeded' }).waitFor()
    })

    it('retries, skips and supplies a step, and says who did it', async () => {
      const { id } = await dashboard.api<{ id: string }>('POST', '/v1/workflows/picky/runs', {})
      await go(`/workflows/${id}`)
      const step = (name: string) =>
        page.locator('.steps > li').filter({ has: page.getByText(name, { exact: true }) })
      await step('pick').getByText('failed').waitFor()
      await step('pay').getByRole('button', { name: 'Retry', exact: true }).click()
      await page.getByText('This may happen twice').waitFor()
      await page.getByRole('button', { name: 'Leave unchanged' }).click()
      await step('pay').getByRole('button', { name: 'Skip' }).click()
      await step('pay').getByText('skipped in the dashboard').waitFor()
      await step('pick').getByRole('button', { name: 'Retry', exact: true }).click()
      await step('pick').getByText('2 tries').waitFor()
      await step('pick').getByRole('button', { name: 'Supply result …' }).click()
      await page.getByLabel('Result (text, or JSON)').fill(HOSTILE)
      await page.getByRole('button', { name: 'Supply', exact: true }).click()
      await page.locator('.page-head .badge', { hasText: 'succeeded' }).waitFor()
      await step('pick').getByText('Result').click()
      await soon(() => step('pick').locator('pre').textContent()).toContain(
        '<script>hacked=1</script> \\u202e',
      )
      expect(await page.locator('.changes').innerText()).toMatch(/supplied\s+pick, in the dashboard/)
    })

    it('probes a provider, and says what came of it', async () => {
      await go('/providers/codex')
      await page.getByRole('button', { name: 'Probe' }).click()
      await page.getByText('codex failed its probe: invalid x-api-key').waitFor()
      await page.locator('.page-head .badge', { hasText: 'login refused' }).waitFor()
      await page.getByText('It is tried again').waitFor()
      await page.getByRole('button', { name: 'Reset' }).click()
      await page.locator('.page-head .badge', { hasText: 'can serve' }).waitFor()
      await page.getByRole('button', { name: 'Pause …' }).click()
      await page.getByLabel('Ends').selectOption('in an hour')
      await page.getByRole('button', { name: 'Pause', exact: true }).click()
      await page.getByText('It is paused until').waitFor()
      await page.getByRole('button', { name: 'Resume' }).click()
      await page.locator('.page-head .badge', { hasText: 'can serve' }).waitFor()
    })

    it('shows events as they happen, and catches up after a disconnect', async () => {
      await go('/operations?q=capability%3Agood')
      await soon(() => page.locator('.rows .row').count()).toBeGreaterThan(0)
      const before = await page.locator('.rows .row').count()
      await dashboard.submit('good', {}, 'succeeded')
      await soon(() => page.locator('.rows .row').count()).toBe(before + 1)
      try {
        await page.context().setOffline(true)
        await page.getByText(/Disconnected since .*: what you see may be old/).waitFor()
        await dashboard.submit('good', {}, 'succeeded')
      } finally {
        await page.context().setOffline(false)
      }
      await soon(() => page.locator('.rows .row').count()).toBe(before + 2)
      await page.locator('.connection[data-state="live"]').waitFor()
    })

    it('requests nothing while hidden, and catches up when visible', async () => {
      await page.clock.install()
      await load('/operations?q=capability%3Agood')
      await page.locator('.connection[data-state="live"]').waitFor()
      await page.locator('.rows .row').first().waitFor()
      const before = await page.locator('.rows .row').count()
      const asked: string[] = []
      const note = (request: { url: () => string }) => asked.push(request.url())
      await see('hidden')
      await page.locator('.connection[data-state="resting"]').waitFor()
      const witness = await dashboard.open('/operations?q=capability%3Agood', page.context())
      page.on('request', note)
      // Whatever it does from time to time would have come.
      await page.clock.fastForward('05:00')
      await dashboard.submit('good', {}, 'succeeded')
      // Another page has heard of it, so this one would have too.
      await soon(() => witness.locator('.rows .row').count()).toBe(before + 1)
      expect(asked).toEqual([])
      expect(await page.locator('.rows .row').count()).toBe(before)
      page.off('request', note)
      await witness.close()
      await see('visible')
      await soon(() => page.locator('.rows .row').count()).toBe(before + 1)
    })

    it('reloads everything when it missed too many events to catch up', async () => {
      await load('/operations')
      await page.locator('.connection[data-state="live"]').waitFor()
      await page.getByText(/^\d+ operations$/).waitFor()
      const before = Number.parseInt((await page.locator('.page-head span').textContent()) as string, 10)
      await see('hidden')
      await page.locator('.connection[data-state="resting"]').waitFor()
      const operation = { capability: 'limited', params: {}, at: '2099-01-01T00:00:00Z' }
      const operations = Array.from({ length: 700 }, () => operation)
      for (const _ of [1, 2, 3]) await dashboard.api('POST', '/v1/operations/batch', { operations })
      await see('visible')
      const after = `${(before + 2_100).toLocaleString('en-US')} operations`
      await soon(() => page.locator('.page-head').textContent()).toContain(after)
      await soon(() => page.locator('.rows .row').first().textContent()).toContain('limited')
    })

    it('says that a session has ended, and returns to the same page', async () => {
      const context = await dashboard.browser.newContext({ baseURL: dashboard.url })
      const guest = await context.newPage()
      await guest.goto(`${dashboard.url}/sign-in#${await dashboard.code()}`)
      await guest.getByRole('navigation', { name: 'Views' }).waitFor()
      await guest.goto(`${dashboard.url}/schedules`)
      await guest.getByRole('heading', { name: 'Schedules' }).waitFor()
      await context.clearCookies()
      // A refresh of the page may notice it before the click does; then there is no button any more.
      const clicked = guest.getByRole('button', { name: 'Run now' }).click()
      await Promise.any([guest.getByText('Your session has ended', { exact: false }).waitFor(), clicked])
      await guest.getByText('Your session has ended', { exact: false }).waitFor()
      await guest.getByLabel('One-time code').fill(await dashboard.code())
      await guest.getByRole('button', { name: 'Sign in' }).click()
      await guest.getByRole('heading', { name: 'Schedules' }).waitFor()
      await context.close()
    })

    it('links to the list when something does not exist', async () => {
      for (const [path, list] of [
        ['/operations/op_999999', 'Operations'],
        ['/workflows/wf_999999', 'Workflows'],
        ['/providers/nobody', 'Providers'],
        ['/unknowns/fp1:none', 'Unknowns'],
      ] as const) {
        await go(path)
        await page.getByRole('heading', { name: `${list} / Not found` }).waitFor()
        await page.getByRole('alert').waitFor()
      }
    })

    it('draws only the visible rows of a long list, and reaches its end', async () => {
      const operation = { capability: 'good', params: {}, at: '2099-01-01T00:00:00Z' }
      const operations = Array.from({ length: 450 }, () => operation)
      await dashboard.api('POST', '/v1/operations/batch', { operations })
      await go('/operations?q=state%3Ascheduled%20capability%3Agood')
      await soon(() => page.locator('.page-head').textContent()).toContain('450 operations')
      const rows = page.locator('.rows .row')
      await rows.first().waitFor()
      expect(await rows.count()).toBeLessThan(60)
      const last = () =>
        page.evaluate(`{
          const box = document.querySelector('.rows')
          box.scrollTop = box.scrollHeight
          Math.max(...[...document.querySelectorAll('.rows [data-index]')].map(row => Number(row.dataset.index)))
        }`)
      await soon(last).toBe(449)
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
      // The selection counts, not the matches.
      await page.getByRole('button', { name: 'Cancel 1 …' }).click()
      await page.getByText('1 operation matches').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.keyboard.press('j')
      await page.keyboard.press('k')
      const first = await page.locator('.rows [data-index="0"] a').getAttribute('href')
      await page.keyboard.press('Enter')
      await page.locator('.timeline').waitFor()
      expect(new URL(page.url()).pathname).toBe(first)
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keys' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      // The search key opens the query from any view.
      await page.keyboard.press('/')
      await soon(() => page.evaluate('document.activeElement.getAttribute("role")')).toBe('combobox')
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      await page.keyboard.press('g')
      await page.keyboard.press('w')
      await page.locator('main [data-row]').first().waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      await page.locator('.graph .box').first().waitFor()
    })

    it('keeps the focus within a dialog, and returns it afterwards', async () => {
      await go('/providers/claude')
      const opener = page.getByRole('button', { name: 'Pause …' })
      await opener.focus()
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Pause claude' })
      await dialog.waitFor()
      for (let press = 0; press < 8; press += 1) {
        await page.keyboard.press('Tab')
        // Beyond its last control comes the browser itself, never the page behind.
        expect(
          await page.evaluate(
            'document.activeElement === document.body || !!document.activeElement.closest("dialog")',
          ),
        ).toBe(true)
      }
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await soon(() => page.evaluate('document.activeElement.textContent')).toBe('Pause …')
    })

    it(
      'has no serious axe finding in any view, light or dark, and fits a narrow screen',
      async () => {
        const views = [
          '/',
          '/insights',
          '/audit',
          '/operations',
          `/operations/${ids.limited}`,
          '/unknowns?all',
          '/providers',
          '/providers/claude',
          '/proxy',
          '/schedules',
          '/start',
          '/runners',
          '/notices',
          '/config',
          '/workflows',
          '/groups',
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
          // A tablet, a phone, and a page enlarged four times.
          for (const width of [820, 390, 320]) {
            await page.setViewportSize({ width, height: 844 })
            const wider = await page.evaluate(`document.documentElement.scrollWidth - ${width}`)
            if ((wider as number) > 0) found[`${path} ${width}`] = wider
          }
          await page.setViewportSize({ width: 1280, height: 720 })
        }
        await go('/operations?q=state%3Ascheduled')
        await page.getByRole('button', { name: 'Cancel all …' }).click()
        await page.locator('.outcomes').waitFor()
        const inDialog = await dashboard.findings(page)
        if (inDialog.length > 0) found.dialog = inDialog
        await page.keyboard.press('Escape')
        expect(found).toEqual({})
      },
      8 * PATIENCE_MS,
    )

    it('did all of this without errors', () => {
      const own = troubles.filter(text => !/ERR_INTERNET_DISCONNECTED|Failed to load resource/.test(text))
      expect(own).toEqual([])
    })
  },
)
