import { statSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fill, LedgerFolder } from '../../test/ledger/sqlite/ledger-folder.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { testQueue } from '../testing/test-queue.ts'

let site: LedgerFolder
beforeEach(() => {
  site = new LedgerFolder()
})
afterEach(() => site.close())

const size = () => statSync(site.file).size

it('a runner returns freed space in its upkeep, so that the file shrinks while it runs', async () => {
  const time = new FakeTime()
  await fill(await site.open({ time }), 3_000)
  await site.shut()
  const full = size()
  const ledger = await site.open({ time })
  const { queue } = await testQueue({ ledger, time })
  const runner = queue.runner()
  await runner.start()
  await ledger.prune({ deadAfterMs: -1 })
  while (size() > full / 2) await time.advance(60_000)
  await runner.stop()
  expect(await ledger.check()).toEqual([])
  await queue.close()
})

it('a stop ends the upkeep between two steps', async () => {
  const time = new FakeTime()
  const problems: unknown[] = []
  const ledger = await site.open({ time })
  await fill(ledger, 3_000)
  await ledger.prune({ deadAfterMs: -1 })
  const { queue } = await testQueue({ ledger, time, onProblem: problem => void problems.push(problem) })
  const free = () => ledger.read(db => db.prepare('PRAGMA freelist_count').get()?.freelist_count as number)
  const runner = queue.runner()
  await runner.start()
  const before = free()
  while (free() === before) await time.advance(10)
  // The clock no longer moves: anything waiting for it would never end.
  await runner.stop()
  expect(free()).toBeGreaterThan(512)
  expect(problems).toEqual([])
  await queue.close()
})
