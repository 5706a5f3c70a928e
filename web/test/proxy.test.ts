import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Lab, startLab } from '../../lab/index.ts'
import { chromiumPath } from '../../scripts/chromium.ts'
import { DashboardUnderTest } from './dashboard-under-test.ts'
import { PATIENCE_MS, soon } from './databases.ts'

const WAIT_MS = 5 * 60_000

describe.skipIf(chromiumPath() === undefined)('questions that wait in the proxy, on the screen', () => {
  let lab: Lab
  let dashboard: DashboardUnderTest
  let page: Page
  let proxy: string
  /** Asks through the proxy as an agent does. */
  const ask = async (agent: string) => {
    const response = await fetch(`${proxy}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'sk-own', 'user-agent': `${agent}/1.0` },
      body: JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 9, stream: true, messages: [] }),
    })
    return response.text()
  }
  const rowOf = (agent: string) => page.locator('tr', { hasText: agent })
  const waits = async () =>
    (await dashboard.api<{ holds: { client: string }[] }>('GET', '/v1/proxy/holds')).holds.map(
      ({ client }) => client,
    )

  beforeAll(async () => {
    lab = await startLab()
    dashboard = await DashboardUnderTest.start(
      undefined,
      `[proxy]
enabled = true
port = 0
[[provider]]
id = "anthropic"
api = "anthropic"
base_url = "${lab.url}"
`,
    )
    const { url } = await dashboard.api<{ url: string }>('GET', '/v1/proxy/holds')
    proxy = url
    page = await dashboard.open('/proxy')
  }, 2 * PATIENCE_MS)
  afterAll(async () => {
    await dashboard?.close()
    await lab?.close()
  }, PATIENCE_MS)

  it('are listed with whom they wait for and until when, are refused only after a question, and released', async () => {
    await page.getByText('No question waits').waitFor()
    lab.inject([{ fault: 'rate_limit', waitMs: WAIT_MS }])
    const first = ask('first-agent')
    await soon(waits).toEqual(['first-agent'])
    const second = ask('second-agent')
    await rowOf('first-agent').getByText("anthropic (a caller's own key)").waitFor()
    await rowOf('second-agent').waitFor()
    // Times of the daemon are shown in the viewer's zone.
    expect(await rowOf('first-agent').innerText()).not.toMatch(/\d{4}-\d\d-\d\dT/)
    await rowOf('second-agent').getByRole('button', { name: 'Refuse' }).click()
    await page.getByRole('button', { name: 'Let it wait' }).click()
    expect(await waits()).toHaveLength(2)
    await rowOf('second-agent').getByRole('button', { name: 'Refuse' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click()
    await page.getByText('Refused: its client is told').waitFor()
    expect(await second).toContain('rate_limit_error')
    await soon(waits).toEqual(['first-agent'])
    await rowOf('first-agent').getByRole('button', { name: 'Release' }).click()
    await page.getByText('Released: its provider is asked again').waitFor()
    expect(await first).toContain('event: message_stop')
    await page.getByText('No question waits').waitFor()
    expect(lab.requests.map(({ status }) => status)).toEqual([429, 200])
  })

  it('are billed, and each number says what it is on a narrow screen', async () => {
    const row = page.locator('.panel', { hasText: 'Spent today' }).locator('tr', { hasText: 'first-agent' })
    await row.waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await row.innerText()).toMatch(/tries: \d[\s\S]*tokens in: \d[\s\S]*tokens out: \d/)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    expect(await dashboard.findings(page)).toEqual([])
    await page.setViewportSize({ width: 1280, height: 720 })
    expect(await row.innerText()).not.toContain('tokens in:')
    expect(await dashboard.findings(page)).toEqual([])
  })
})
