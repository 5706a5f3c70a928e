import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath } from '../../scripts/chromium.ts'
import { DashboardUnderTest } from './dashboard-under-test.ts'
import { PATIENCE_MS, soon } from './databases.ts'

/** More presses of Tab than any way on a page is long. */
const FAR = 120

/** What has the focus, by its name, and whether one can see that it has. */
const FOCUSED = `(() => {
  const { activeElement: at } = document
  const shows = each => each !== null && getComputedStyle(each).outlineStyle !== 'none'
  return {
    name: (at.getAttribute('aria-label') ?? at.innerText ?? '').trim(),
    isSeen: shows(at) || shows(at.closest('.query')) || shows(at.closest('label')),
  }
})()`

describe.skipIf(chromiumPath() === undefined)('a morning without a mouse', () => {
  let dashboard: DashboardUnderTest
  let page: Page
  const ids = { odd: '', once: '' }

  beforeAll(async () => {
    dashboard = await DashboardUnderTest.start()
    for (let n = 0; n < 2; n++) await dashboard.submit('refused', {}, 'dead')
    ids.once = await dashboard.submit('once', {}, 'dead')
    ids.odd = await dashboard.submit('odd', {}, 'parked')
    page = await (
      await dashboard.browser.newContext({ baseURL: dashboard.url, reducedMotion: 'reduce' })
    ).newPage()
    page.setDefaultTimeout(PATIENCE_MS)
  }, 4 * PATIENCE_MS)
  afterAll(() => dashboard?.close(), PATIENCE_MS)

  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve())
  const at = () => page.evaluate(FOCUSED) as Promise<{ name: string; isSeen: boolean }>
  const heading = (name: string | RegExp) => page.locator('main h1', { hasText: name }).waitFor()
  const dialog = () => page.getByRole('dialog')

  /** Tabs until the control of this name has the focus, and checks that one can see it. */
  const tabTo = async (name: string | RegExp) => {
    const passed: string[] = []
    for (let n = 0; n < FAR; n++) {
      await press('Tab')
      const focused = await at()
      passed.push(focused.name)
      if (typeof name === 'string' ? focused.name !== name : !name.test(focused.name)) continue
      expect(focused.isSeen, `${name} shows its focus`).toBe(true)
      return
    }
    throw new Error(`Tab never came to ${name}, but to: ${passed.join(' | ')}`)
  }

  it('signs in: the code is typed where the focus is', async () => {
    await page.goto('/')
    await page.getByLabel('One-time code').waitFor()
    await page.keyboard.type(await dashboard.code())
    await press('Enter')
    await heading(/need you/)
  })

  it('goes from what needs it to the operations, retries them after a question, and is back where it was', async () => {
    const row = page.locator('.needs li', { hasText: '2 operations died' })
    await row.waitFor()
    await tabTo(/^Retry: 2 operations died/)
    await press('Enter')
    await dialog().waitFor()
    await press('Escape')
    await dialog().waitFor({ state: 'detached' })
    expect((await at()).name).toMatch(/^Retry: 2 operations died/)
    await tabTo('Look at them')
    await press('Enter')
    await heading('Operations')
    await soon(() => page.locator('.rows .row').count()).toBe(2)
    await page.goBack()
    await heading(/need you/)
  })

  it('opens one, is asked before it may happen twice, and marks it as done instead', async () => {
    await page.locator('.needs li', { hasText: 'once may have' }).waitFor()
    await tabTo('Look at it')
    await press('Enter')
    await heading('once')
    await tabTo('Retry now')
    await press('Enter')
    await dialog().waitFor()
    await press('Escape')
    await dialog().waitFor({ state: 'detached' })
    expect((await dashboard.api('GET', `/v1/operations/${ids.once}`)).run).toBe(1)
    await tabTo('Mark as done …')
    await press('Enter')
    await dialog().waitFor()
    await tabTo('Mark as done')
    await press('Enter')
    await page.locator('.page-head .badge', { hasText: 'succeeded' }).waitFor()
  })

  it('labels an unknown failure: g u, j, Enter, the class, the button', async () => {
    await press('g', 'u')
    await heading('Unknowns')
    await page.locator('main [data-row]').first().waitFor()
    await press('j', 'Enter')
    await heading('Unknown failure')
    await tabTo(/^transient/)
    await press('Enter')
    await page.getByRole('button', { name: /^Label as transient/ }).waitFor()
    await tabTo(/^Label as transient/)
    await press('Enter')
    await page.getByText('Labels in force', { exact: false }).waitFor()
  })

  it('filters, sorts, selects two rows and retries them: /, a query, x, and Enter', async () => {
    await press('/')
    await heading('Operations')
    await soon(() => page.evaluate('document.activeElement.getAttribute("role")')).toBe('combobox')
    await page.keyboard.type('capability:refused')
    await soon(() => page.locator('.rows .row').count()).toBe(2)
    // The first Escape closes what completes the query, if it is open; the last one leaves the box.
    await press('Escape', 'Escape')
    await tabTo(/^Tries/)
    await press('Enter')
    await soon(() => new URL(page.url()).searchParams.get('sort')).toBe('tries')
    await page.locator('.rows .row').first().waitFor()
    await press('j', 'x', 'j', 'x')
    await page.getByText('2 selected').waitFor()
    await page.evaluate('document.activeElement.blur(); getSelection().setPosition(document.body, 0)')
    await tabTo('Retry 2 …')
    await press('Enter')
    await dialog().getByText('to run again, history kept').waitFor()
    await tabTo('Retry 2 operations')
    await press('Enter')
    await page.getByText('2 run again').waitFor()
  })

  it('shows all keys on ?, and closes them with Escape', async () => {
    await page.evaluate('document.activeElement.blur()')
    await press('?')
    await dialog().getByText('Search operations').waitFor()
    await press('Escape')
    await dialog().waitFor({ state: 'detached' })
  })
})
