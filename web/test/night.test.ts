import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath } from '../../scripts/chromium.ts'
import { DashboardUnderTest } from './dashboard-under-test.ts'

/** Long enough for a busy machine; an idle one does not wait this long. */
const PATIENCE_MS = 30_000
const soon = <T>(look: () => T) => expect.poll(look, { timeout: PATIENCE_MS })

describe.skipIf(chromiumPath() === undefined)('the morning after a night of failures', () => {
  let dashboard: DashboardUnderTest
  let page: Page
  let clicks = 0
  const click = async (name: string | RegExp, within = page.locator('body')) => {
    clicks += 1
    const button = within.getByRole('button', { name })
    await button.or(within.getByRole('link', { name })).first().click({ timeout: PATIENCE_MS })
  }
  const nav = (name: RegExp) => click(name, page.locator('nav[aria-label="Views"]'))

  beforeAll(async () => {
    dashboard = await DashboardUnderTest.start()
    await dashboard.submit('lifted', {}, 'scheduled')
    const body = { capability: 'lifted', params: {} }
    for (let n = 0; n < 9; n++) await dashboard.api('POST', '/v1/operations', body)
    for (let n = 0; n < 3; n++) await dashboard.submit('refused', {}, 'dead')
    await dashboard.submit('once', {}, 'dead')
    await dashboard.submit('odd', {}, 'parked')
    page = await dashboard.open('/')
  }, 4 * PATIENCE_MS)
  afterAll(() => dashboard?.close(), PATIENCE_MS)

  it('takes 12 clicks from the screen alone, and then nothing needs anybody', async () => {
    await soon(() => page.locator('h1').textContent()).toMatch(
      /claude cannot serve until .*3 things need you/,
    )
    await click('Label it')
    await click(/^transient/)
    await click(/^Label as transient/)
    await page.getByText('Labels in force', { exact: false }).waitFor()
    await nav(/^Overview/)
    // What was refused would be refused again.
    await click(
      'Mark as read',
      page.locator('.needs li', { hasText: '3 operations died: refused was refused' }),
    )
    await click('Look at it', page.locator('.needs li', { hasText: 'cannot be checked' }))
    await click('Mark as done …')
    await click('Mark as done', page.locator('dialog'))
    await page.locator('.page-head .badge', { hasText: 'succeeded' }).waitFor()
    await nav(/^Providers/)
    await click(/^claude/, page.locator('main'))
    await click('Reset')
    const claude = () => dashboard.api<{ admits: boolean }>('GET', '/v1/providers/claude')
    await soon(async () => (await claude()).admits).toBe(true)
    await nav(/^Overview/)
    await soon(() => page.locator('h1').textContent()).toMatch(/ can serve; .*nothing needs you\.$/)
    // The one that met the limit itself keeps the time that it was told; what was held behind it runs at once.
    const held = () =>
      dashboard.api<{ operations: unknown[] }>('GET', '/v1/operations?capability=lifted&state=succeeded')
    await soon(async () => (await held()).operations.length).toBe(9)
    expect(await page.locator('.needs li').count()).toBe(0)
    expect(clicks).toBe(12)
  })
})
