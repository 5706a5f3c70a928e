import { join } from 'node:path'
import { expect, it } from 'vitest'
import { chromiumPath } from '../../scripts/chromium.ts'
import { defineWorker } from '../../src/adapter/job/worker.ts'
import { DashboardUnderTest } from './dashboard-under-test.ts'
import { PATIENCE_MS } from './databases.ts'

it.skipIf(chromiumPath() === undefined)(
  'a job of another engine has the name of its queue and its own id, and no actions that would be refused',
  async () => {
    const dashboard = await DashboardUnderTest.start()
    const worker = defineWorker({
      name: 'resize',
      run: () =>
        Promise.reject(Object.assign(new Error('invalid request: no such picture'), { status: 400 })),
    })
    const connection = await worker.connect({ ledger: join(dashboard.site.folder, 'state', 'ledger.db') })
    try {
      await worker.perform({ engine: 'bullmq', queue: 'pictures', jobId: '7', job: {}, data: {} })
      const page = await dashboard.open('/operations')
      await page.getByRole('link', { name: 'pictures (BullMQ)' }).click()
      await page.getByRole('heading', { name: 'pictures (BullMQ)' }).waitFor()
      const factOf = (name: string) => page.locator('.facts div', { hasText: name }).locator('dd').innerText()
      expect(await factOf('Submitted through')).toBe('BullMQ')
      expect(await factOf('Job')).toBe('7')
      expect(await page.getByRole('button', { name: 'Mark as done …' }).count()).toBe(0)
      expect(await page.locator('.try').innerText()).not.toContain('start')
      expect(await dashboard.findings(page)).toEqual([])
    } finally {
      await connection.close()
      await dashboard.close()
    }
  },
  4 * PATIENCE_MS,
)
