import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath } from '../../scripts/chromium.ts'
import { DashboardUnderTest } from './dashboard-under-test.ts'
import { PATIENCE_MS, soon } from './databases.ts'

/** More presses of Tab than any view has controls. */
const MOST_STOPS = 150

/** Marks the controls of the page that can be acted on, and counts them. */
const MARK = `(() => {
  const controls = [...document.querySelectorAll('a[href], button, input, select, textarea, summary')].filter(
    each => !each.disabled && each.checkVisibility({ visibilityProperty: true }) && !each.closest('.skip'),
  )
  controls.forEach((each, index) => each.setAttribute('data-control', index))
  return controls.map(each => each.getAttribute('aria-label') ?? each.textContent.trim().slice(0, 40))
})()`

/** The mark of the control that has the focus, and whether one can see that it has. */
const FOCUSED = `(() => {
  const { activeElement: at } = document
  const shows = each => getComputedStyle(each).outlineStyle !== 'none'
  return { control: at.getAttribute('data-control'), isSeen: shows(at) || (at.closest('.query') && shows(at.closest('.query'))) || false }
})()`

describe.skipIf(chromiumPath() === undefined)('the dashboard, without a mouse', () => {
  let dashboard: DashboardUnderTest
  let page: Page
  const ids = { odd: '', refused: '', once: '', limited: '', run: '', fingerprint: '' }

  beforeAll(async () => {
    dashboard = await DashboardUnderTest.start()
    ids.odd = await dashboard.submit('odd', {}, 'parked')
    ids.refused = await dashboard.submit('refused', {}, 'dead')
    ids.once = await dashboard.submit('once', {}, 'dead')
    ids.limited = await dashboard.submit('limited', {}, 'scheduled')
    const run = { params: { what: 'it' } }
    ids.run = (await dashboard.api<{ id: string }>('POST', '/v1/workflows/release/runs', run)).id
    ids.fingerprint = (
      await dashboard.api<{ failure: { fingerprint: string } }>('GET', `/v1/operations/${ids.odd}`)
    ).failure.fingerprint
    page = await dashboard.open('/')
  }, 4 * PATIENCE_MS)
  afterAll(() => dashboard?.close(), PATIENCE_MS)

  const views = (): string[] => [
    '/',
    '/insights',
    '/operations',
    `/operations/${ids.once}`,
    '/start',
    '/unknowns',
    `/unknowns/${ids.fingerprint}`,
    '/workflows',
    `/workflows/${ids.run}`,
    '/groups',
    '/providers',
    '/providers/claude',
    '/proxy',
    '/runners',
    '/schedules',
    '/notices',
    '/audit',
    '/config',
  ]
  const settle = async (path: string) => {
    await dashboard.visit(page, path)
    await page.locator('main .panel').first().waitFor()
    await page.waitForLoadState('networkidle')
  }

  const focused = () => page.evaluate('document.activeElement.innerText')

  it(
    'reaches every control of every view with Tab, and shows where it is',
    async () => {
      const missed: Record<string, unknown> = {}
      for (const path of views()) {
        await settle(path)
        const controls = (await page.evaluate(MARK)) as string[]
        const reached = new Set<string>()
        const unseen = new Set<string>()
        await page.evaluate('document.activeElement.blur(); getSelection().setPosition(document.body, 0)')
        for (let press = 0; press < MOST_STOPS && reached.size < controls.length; press += 1) {
          await page.keyboard.press('Tab')
          const { control, isSeen } = (await page.evaluate(FOCUSED)) as {
            control: string | null
            isSeen: boolean
          }
          if (control === null) continue
          reached.add(control)
          if (!isSeen) unseen.add(controls[Number(control)] as string)
        }
        // What an update of the page has taken away meanwhile need not be reached.
        const left = (await page.evaluate(
          `[...document.querySelectorAll('[data-control]')].map(each => each.getAttribute('data-control'))`,
        )) as string[]
        const names = left.filter(each => !reached.has(each)).map(each => controls[Number(each)])
        if (names.length > 0 || unseen.size > 0) missed[path] = { names, unseen: [...unseen] }
      }
      expect(missed).toEqual({})
    },
    8 * PATIENCE_MS,
  )

  it(
    'opens every dialog with Enter, closes it with Escape, and is back where it was',
    async () => {
      const strayed: string[] = []
      let opened = 0
      for (const path of [...views(), `/operations/${ids.refused}`, `/operations/${ids.odd}`]) {
        await settle(path)
        // A button whose name ends so asks before it does anything.
        for (const opener of await page.locator('main button:not(:disabled)', { hasText: /…$/ }).all()) {
          const name = await opener.innerText()
          await opener.focus()
          await page.keyboard.press('Enter')
          await page.getByRole('dialog').waitFor()
          await page.keyboard.press('Escape')
          await page.getByRole('dialog').waitFor({ state: 'detached' })
          opened += 1
          if ((await focused()) !== name) strayed.push(`${path}: ${name}`)
        }
      }
      expect(strayed).toEqual([])
      expect(opened).toBeGreaterThan(10)
    },
    8 * PATIENCE_MS,
  )

  it('returns to the view if what opened the dialog is gone', async () => {
    await settle('/')
    await page.locator('.needs').getByRole('button', { name: 'Retry' }).first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.evaluate(`document.querySelector('.needs button[aria-label^="Retry"]').closest('li').remove()`)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await soon(() => page.evaluate('document.activeElement.id')).toBe('main')
  })

  it('completes a query with the arrows, and leaves its box with Shift and Tab', async () => {
    await settle('/operations')
    await page.keyboard.press('/')
    await page.keyboard.type('state:de')
    await page.keyboard.press('ArrowDown')
    // Both before the next frame, as a fast typist is on a busy machine.
    await page.evaluate(`{
      const box = document.activeElement
      box.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))
      document.execCommand('insertText', false, ' ')
    }`)
    await page.keyboard.type('clas')
    await page.keyboard.press('Shift+Tab')
    await soon(() => page.evaluate('document.activeElement.getAttribute("role")')).not.toBe('combobox')
    expect(await page.getByRole('combobox').inputValue()).toMatch(/^state:dead +clas$/)
  })

  it('closes the menu of a narrow screen with Escape', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await settle('/runners')
    const menu = page.getByRole('button', { name: 'Menu' })
    await menu.focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await soon(() => page.evaluate('document.activeElement.textContent')).toMatch(/^Overview/)
    await page.keyboard.press('Escape')
    await soon(() => menu.getAttribute('aria-expanded')).toBe('false')
    expect(await focused()).toBe('Menu')
    await page.setViewportSize({ width: 1280, height: 720 })
  })
})
