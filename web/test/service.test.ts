import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath } from '../../scripts/chromium.ts'
import { runCommand } from '../../test/cli/terminal.ts'
import { BotApi, pressOf } from '../../test/notice/bot-api.ts'
import { DashboardUnderTest } from './dashboard-under-test.ts'
import { DATABASES, PATIENCE_MS, soon } from './databases.ts'

describe.skipIf(chromiumPath() === undefined).each(DATABASES)(
  'the service on the dashboard, on $name',
  ({ url }) => {
    let telegram: BotApi
    let dashboard: DashboardUnderTest
    let page: Page
    const go = async (path: string) => {
      await page.goto(`${dashboard.url}${path}`)
      await page.locator('main h1').waitFor()
    }
    /** A command on the data folder and the ledger of the daemon. */
    const mulligan = (...argv: string[]) => {
      const { folder, env } = dashboard.site
      const data = ['--data', join(folder, 'state'), ...(url === undefined ? [] : ['--database', url])]
      return runCommand([...argv, ...data], { cwd: folder, env: env, now: Date.now })
    }
    /** What no view may have: serious findings of axe, or more width than a phone has. */
    const isClean = async () => {
      expect(await dashboard.findings(page)).toEqual([])
      await page.setViewportSize({ width: 390, height: 844 })
      expect(await page.evaluate('document.documentElement.scrollWidth - 390')).toBeLessThanOrEqual(0)
      await page.setViewportSize({ width: 1440, height: 900 })
    }

    beforeAll(async () => {
      telegram = await BotApi.start()
      const token = join(mkdtempSync(join(tmpdir(), 'mulligan-token-')), 'token')
      writeFileSync(token, '1:t', { mode: 0o600 })
      dashboard = await DashboardUnderTest.start(
        url,
        `[[surface]]\nname = "phone"\nkind = "telegram"\ntoken = "file:${token}"\nchat = "42"\nbuttons = true\ngather = "0s"\nquiet = "03:00-03:01"\nbase_url = "${telegram.url}"\n`,
      )
      page = await dashboard.open('/')
    }, 2 * PATIENCE_MS)
    afterAll(async () => {
      await dashboard?.close()
      telegram?.close()
    }, PATIENCE_MS)

    it('snoozes a cause from what needs a person, and a notice from its list', async () => {
      await dashboard.submit('refused', {}, 'dead')
      await go('/')
      const row = page.locator('.needs li', { hasText: 'refused was refused' })
      await row.waitFor()
      await isClean()
      await row.getByRole('combobox', { name: 'Snooze' }).selectOption('1 hour')
      await page.getByText(/1 notice snoozed until/).waitFor()
      await row.waitFor({ state: 'detached' })
      await go('/notices')
      await page.getByRole('button', { name: 'All', exact: true }).click()
      await page
        .getByText(/snoozed until/)
        .first()
        .waitFor()
      await isClean()
      await dashboard.submit('once', {}, 'dead')
      await go('/notices')
      const notice = page.locator('.notices li', { hasText: 'once' }).first()
      await notice.getByRole('combobox', { name: 'Snooze' }).selectOption('1 day')
      await notice.waitFor({ state: 'detached' })
      const { notices } = await dashboard.api<{ notices: { snoozed_until?: string }[] }>(
        'GET',
        '/v1/notices?event=dead',
      )
      expect(notices.map(({ snoozed_until }) => typeof snoozed_until)).toEqual(['string', 'string'])
    })

    it('shows what a button in Telegram did, and who pressed it', async () => {
      const before = telegram.asked('sendMessage').length
      await dashboard.submit('picky', { n: 1 }, 'dead')
      await soon(() => telegram.asked('sendMessage').length).toBeGreaterThan(before)
      const [read] = telegram.buttons()
      // The press may come before the daemon has recorded where the message is.
      await soon(async () => {
        const { deliveries } = await dashboard.api<{ deliveries: { state: string }[] }>(
          'GET',
          '/v1/deliveries?state=pending',
        )
        return deliveries.length
      }).toBe(0)
      telegram.update(pressOf(read, { chat: 43, update: 1 }), pressOf(read, { update: 2 }))
      await soon(() => telegram.asked('answerCallbackQuery').map(({ text }) => text)).toContain(
        'Marked as read',
      )
      await go('/notices')
      await page.getByRole('button', { name: 'All', exact: true }).click()
      await page.getByText(/by Telegram user 42/).waitFor()
      await page.getByText('telegram · with buttons · quiet 03:00 to 03:01 UTC').waitFor()
      await go('/audit')
      await page.getByText('Telegram user 42').first().waitFor()
    })

    it('shows how large the ledger is and how long history is kept, and what was set in it', async () => {
      const { samples } = await dashboard.api<{ samples: unknown[] }>('GET', '/v1/ledger/size')
      expect(samples).toHaveLength(1)
      await go('/config')
      const panel = page.locator('.panel', { hasText: 'Succeeded operations' })
      await panel.getByText(/^[\d.]+ [kM]B$/).waitFor()
      expect(await mulligan('ledger', 'retention', '--dead', '14d')).toMatchObject({ code: 0 })
      await go('/config')
      await panel.getByText('(set in the ledger)').waitFor()
      await isClean()
      await page.getByRole('button', { name: 'Change retention …' }).click()
      const dialog = page.locator('dialog')
      expect(await dialog.getByLabel('Dead operations').inputValue()).toBe('14d')
      await dialog.getByLabel('Ended workflow runs').fill('soon')
      await dialog.getByRole('button', { name: 'Change', exact: true }).click()
      await dialog.getByText('Ended workflow runs: "soon" is not a duration').waitFor()
      await isClean()
      await dialog.getByLabel('Ended workflow runs').fill('60d')
      await dialog.getByLabel('Dead operations').fill('')
      await dialog.getByRole('button', { name: 'Change', exact: true }).click()
      await panel
        .locator('div', { hasText: /^Ended workflow runskept 60 d \(set in the ledger\)$/ })
        .waitFor()
      expect(await panel.getByText('(set in the ledger)').count()).toBe(1)
      const kept = await mulligan('ledger', 'retention')
      expect(kept.stdout).toMatch(/^ended workflow runs +60 d.* +set in the ledger$/m)
      await go('/audit')
      await page.getByText('changed how long history is kept').first().waitFor()
      expect((await mulligan('status')).stdout).toMatch(/^ledger .*[kM]B/m)
    })

    it('is well in the eyes of doctor, until its surface is gone', async () => {
      const well = await mulligan('doctor', '--daemon')
      expect(well.stdout).toMatch(/^daemon +ok +answers at/m)
      expect(well.stdout).toMatch(/^surface +ok +phone \(telegram\) answers$/m)
      expect(well.stdout).toMatch(/^clock +ok/m)
      expect(well.code).toBe(0)
      telegram.close()
      const ill = await mulligan('doctor', '--daemon')
      expect(ill.stdout).toMatch(/^surface +TROUBLE +phone .*\n +correct \[\[surface]] phone/m)
      expect(ill.code).toBe(1)
    })
  },
)
