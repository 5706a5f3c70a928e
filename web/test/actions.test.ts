import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath } from '../../scripts/chromium.ts'
import { CLAUDE_ANSWER, Stubs } from '../../test/agent/stub.ts'
import { DashboardUnderTest } from './dashboard-under-test.ts'
import { DATABASES, PATIENCE_MS, soon } from './databases.ts'

const stubs = new Stubs()
const CLAUDE = stubs.make(
  'claude',
  `if (input.includes('review a')) { out(${JSON.stringify(CLAUDE_ANSWER)}); end(0) } else hang()`,
)
/** A group of runs, of which all but the first take for ever. */
const GROUP = `
[[provider]]
id = "reviewer"
cli = "claude"
command = ${JSON.stringify(CLAUDE)}
[[group]]
name = "reviews"
pool = "reviewer"
max_running = 2
max_cost_usd = 2
prompts = ["review a", "review b", "review c"]
`

describe.skipIf(chromiumPath() === undefined).each(DATABASES)(
  'actions of the dashboard, on $name',
  ({ url }) => {
    let dashboard: DashboardUnderTest
    let page: Page
    const go = (path: string) => dashboard.visit(page, path)
    const operation = (id: string) =>
      dashboard.api<{ state: string; run: number; params?: unknown; result?: unknown }>(
        'GET',
        `/v1/operations/${id}`,
      )

    beforeAll(async () => {
      dashboard = await DashboardUnderTest.start(url, GROUP)
      page = await dashboard.open('/')
    }, 2 * PATIENCE_MS)
    afterAll(async () => {
      await dashboard?.close()
    }, PATIENCE_MS)

    it('lists what needs a person by its cause, retries the safe ones, and forgets what is done', async () => {
      await dashboard.submit('refused', {}, 'dead')
      await dashboard.submit('refused', {}, 'dead')
      await dashboard.submit('once', {}, 'dead')
      /** The notice of both operations that were refused; undefined until both are told. */
      const ofBoth = async () => {
        const { notices } = await dashboard.api<{
          notices: { causes: { notice: string; count: number; title: string }[] }
        }>('GET', '/v1/overview')
        return notices.causes.find(({ title, count }) => title.startsWith('refused') && count === 2)?.notice
      }
      await soon(ofBoth).toBeDefined()
      const first = await ofBoth()
      await go('/')
      const row = page.locator('.needs li', { hasText: '2 operations died: refused was refused' })
      await row.getByText('invalid request: no such page').waitFor()
      await page.getByText('once may have taken effect, and that cannot be checked').waitFor()
      await row.getByRole('button', { name: 'Retry' }).click()
      await page.getByRole('button', { name: 'Retry 2 operations' }).click()
      await page.getByText('2 run again').waitFor()
      // They died once more, of the same: they are one cause again.
      await soon(async () => ![undefined, first].includes(await ofBoth())).toBe(true)
      await go('/')
      await row.getByRole('button', { name: 'Mark as read' }).click()
      await row.waitFor({ state: 'detached' })
    })

    it('finds operations by how they died, and offers to retry only the safe ones', async () => {
      await go('/operations?q=as%3Aunverifiable')
      await soon(() => page.locator('.rows .row').count()).toBe(1)
      expect(await page.locator('.rows .cell-failure').innerText()).toMatch(/unverifiable · socket hang up/)
      await go('/operations?q=state%3Adead')
      await soon(() => page.locator('.rows .row').count()).toBe(3)
      await page.getByRole('button', { name: 'Retry all …' }).click()
      await page.getByText('1 of them may already have taken effect').waitFor()
      await page.getByRole('button', { name: 'Retry the 2 that are safe' }).click()
      await page.getByText('2 run again; 1 left alone').waitFor()
    })

    it('marks an operation as done, with its result', async () => {
      const id = await dashboard.submit('once', {}, 'dead')
      await go(`/operations/${id}`)
      await page.getByRole('button', { name: 'Mark as done …' }).click()
      await page.getByLabel('Result', { exact: false }).fill('{"receipt": 7}')
      await page.getByLabel('How you know', { exact: false }).fill('seen in the bank')
      await page.getByRole('button', { name: 'Mark as done', exact: true }).click()
      await page.locator('.page-head .badge', { hasText: 'succeeded' }).waitFor()
      expect(await operation(id)).toMatchObject({ state: 'succeeded', result: { receipt: 7 } })
    })

    it('pauses and resumes a capability and the queue, and says who runs them', async () => {
      await go('/runners')
      await page.getByRole('heading', { name: '1 runner' }).waitFor()
      await page.getByLabel('Capability to pause').selectOption('good')
      await page.getByRole('button', { name: 'Pause it' }).click()
      await page.getByRole('button', { name: 'Resume good' }).click()
      await page.getByText('good continues').waitFor()
      await page.getByRole('button', { name: 'Pause the queue' }).click()
      await page.getByText('The queue is paused: nothing new starts.').waitFor()
      await page.getByRole('button', { name: 'Resume the queue' }).click()
      await page.getByText('The queue is running: operations start when they are due.').waitFor()
      expect(await dashboard.findings(page)).toEqual([])
      const { paused } = await dashboard.api<{ paused: unknown }>('GET', '/v1/status')
      expect(paused).toMatchObject({ queue: false, capabilities: [] })
    })

    it('pauses a schedule, says since when and by whom, and resumes it', async () => {
      await go('/schedules')
      await page.getByText('At 03:00 AM, every day').waitFor()
      await page.getByRole('button', { name: 'Pause nightly' }).click()
      await page.locator('td', { hasText: /paused\s+since .* by browser/ }).waitFor()
      expect(await dashboard.findings(page)).toEqual([])
      await page.getByRole('button', { name: 'Resume nightly' }).click()
      await page.getByText('nightly submits on time again').waitFor()
      await page.getByRole('button', { name: 'Pause nightly' }).waitFor()
      const { changes } = await dashboard.api<{ changes: { action: string }[] }>('GET', '/v1/audit')
      expect(changes.slice(0, 2).map(({ action }) => action)).toEqual(['resumeSchedule', 'pauseSchedule'])
    })

    it('submits an operation and starts a workflow by a form of their parameters', async () => {
      await go('/start')
      await page.getByLabel('Capability', { exact: true }).selectOption('picky')
      await page.getByLabel('n (required)').fill('7')
      await page.getByLabel('text').fill('hello')
      expect(await dashboard.findings(page)).toEqual([])
      await page.getByRole('button', { name: 'Submit' }).click()
      await page.locator('.page-head .badge', { hasText: 'succeeded' }).waitFor()
      const id = new URL(page.url()).pathname.split('/').at(-1) as string
      expect(await operation(id)).toMatchObject({ params: { n: 7, text: 'hello' }, result: 'seven' })
      await go('/start')
      await page.getByLabel('Capability', { exact: true }).selectOption('choosy')
      await page.getByLabel('level').selectOption('low')
      await page.getByLabel('code (required)').fill('x')
      await page.getByRole('button', { name: 'Submit' }).click()
      await page.getByRole('alert').getByText('must be at least three letters').waitFor()
      expect(await page.getByLabel('code (required)').getAttribute('aria-invalid')).toBe('true')
      await page.getByRole('button', { name: 'A workflow' }).click()
      await page.getByLabel('Workflow', { exact: true }).selectOption('release')
      await page.getByLabel('what (required)').fill('the kraken')
      await page.getByRole('button', { name: 'Start', exact: true }).click()
      await page.getByText('Release the kraken?').first().waitFor()
      await page.setViewportSize({ width: 390, height: 844 })
      await soon(() => page.locator('.graph').evaluate(graph => graph.scrollWidth - graph.clientWidth)).toBe(
        0,
      )
      await page.setViewportSize({ width: 1280, height: 720 })
      await page
        .locator('.steps li', { hasText: 'build' })
        .getByRole('button', { name: 'Retry from here' })
        .click()
      await page.getByText('build and what depends on it run again').waitFor()
    })

    it('starts a group of agent runs, shows what became of each, and cancels the rest', async () => {
      await go('/groups')
      await page.getByText('No groups have run').waitFor()
      await page.getByRole('link', { name: 'Start …' }).click()
      await page.getByLabel('Group', { exact: true }).selectOption('reviews')
      await page.getByText('It starts 3 agent runs, at most 2 at once, for $2.00 together:').waitFor()
      expect(await dashboard.findings(page)).toEqual([])
      await page.getByRole('button', { name: 'Start', exact: true }).click()
      await page.getByRole('heading', { name: '3 runs' }).waitFor()
      await page.getByText(/\b1 succeeded\b.*\$0\.120 of \$2\.00/).waitFor({ timeout: PATIENCE_MS })
      expect(await dashboard.findings(page)).toEqual([])
      await page.getByRole('button', { name: 'Cancel …' }).click()
      await page.getByRole('button', { name: 'Cancel all runs' }).click()
      await page.getByText('1 succeeded, 2 failed').waitFor({ timeout: PATIENCE_MS })
      await page.getByRole('link', { name: 'Operation', exact: true }).first().click()
      await page.locator('.page-head .badge', { hasText: 'succeeded' }).waitFor()
      await page.getByText('All tests pass.').first().waitFor()
      await go('/groups')
      await page.getByRole('link', { name: 'reviews' }).waitFor()
    })

    it('shows what was done over time, what it cost, and what failed most, in charts and in tables', async () => {
      await go('/insights')
      await page.getByRole('heading', { name: 'Operations that ended' }).waitFor()
      await page.locator('.frequent').getByText('invalid request: no such page').waitFor()
      await page
        .getByText('could serve for all of the last', { exact: false })
        .first()
        .waitFor({ state: 'attached' })
      const cost = page.locator('.panel', { hasText: 'Cost of operations' })
      await cost.getByText('As a table').click()
      await cost.getByRole('cell', { name: '$0.120' }).waitFor()
      expect(await dashboard.findings(page)).toEqual([])
      await page.setViewportSize({ width: 390, height: 844 })
      await soon(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390)
      await page.setViewportSize({ width: 1280, height: 720 })
      await page.locator('.frequent').getByText('invalid request: no such page').click()
      await soon(() => page.locator('.rows .row').count()).toBe(2)
    })

    it('sorts by a column, and exports what matches', async () => {
      await go('/operations?q=state%3Adead+capability%3Aonce+capability%3Arefused')
      const names = () => page.locator('.rows .cell-name a').allInnerTexts()
      await page.getByRole('button', { name: 'Operation' }).click()
      await soon(async () => (await names()).map(name => name.split(/\s/)[0])).toEqual([
        'refused',
        'refused',
        'once',
      ])
      expect(new URL(page.url()).searchParams.get('sort')).toBe('capability')
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'CSV' }).click(),
      ])
      const [head, ...lines] = readFileSync((await download.path()) as string, 'utf8')
        .trim()
        .split('\r\n')
      expect(head).toMatch(/^id,capability,state,/)
      expect(lines).toHaveLength(3)
      expect(lines.join('\n')).toContain('unverifiable')
    })
  },
)
