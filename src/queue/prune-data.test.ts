import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeTime } from '../testing/core/fake-time.ts'
import { type Scripted, scriptedCapability } from '../testing/scripted.ts'
import { testQueue } from '../testing/test-queue.ts'
import type { OpenedQueue } from './open.ts'

const DAY = 86_400_000
const large = 'x'.repeat(100_000)

let folder: string
let time: FakeTime
let queue: OpenedQueue
let work: Scripted
beforeEach(async () => {
  folder = join(mkdtempSync(join(tmpdir(), 'mulligan-tidy-')), 'results')
  time = new FakeTime()
  work = scriptedCapability({ name: 'work', rest: large })
  ;({ queue } = await testQueue({ capabilities: [work.capability], time, resultFolder: folder }))
})
afterEach(() => queue.close())

const files = () => readdirSync(folder).sort()
/** What the first runs of operations write. */
const fileOf = (...ids: string[]) => ids.map(id => `${id}.1.json`).sort()
/** A file as a run would write it. */
const leave = (name: string) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), '"left"')
}
const succeed = async () => {
  const { operationId } = await time.until(queue.run('work', {}))
  return operationId
}

describe('pruning', () => {
  it('deletes the results of deleted operations, and no others', async () => {
    const old = await succeed()
    await time.advance(8 * DAY)
    const [one, two] = [await succeed(), await succeed()]
    expect(files()).toEqual(fileOf(old, one, two))
    expect(await queue.prune()).toEqual({
      succeeded: 1,
      dead: 0,
      events: 0,
      notices: 0,
      workflows: 0,
      files: 1,
      freedBytes: 0,
    })
    expect(files()).toEqual(fileOf(one, two))
    expect(await queue.result(one)).toMatchObject({ state: 'succeeded', value: large })
    expect(await queue.prune()).toEqual({
      succeeded: 0,
      dead: 0,
      events: 0,
      notices: 0,
      workflows: 0,
      files: 0,
      freedBytes: 0,
    })
  })

  it('deletes files of runs that crashed before they were settled', async () => {
    const id = await succeed()
    for (const name of [`${id}.2.json`, `.${id}.1.json.0123abcd`, 'op_77.1.json']) leave(name)
    expect(await queue.prune()).toMatchObject({ files: 3 })
    expect(files()).toEqual(fileOf(id))
  })

  it('keeps the file of a running run: it may be settled the next moment', async () => {
    work.script.add({ hangs: true })
    const { id } = await queue.submit('work', {})
    const runner = queue.runner()
    await runner.start()
    await time.advance(0)
    expect(await queue.ledger.get(id)).toMatchObject({ state: 'running', run: 1 })
    for (const name of [`${id}.0.json`, `${id}.1.json`, `.${id}.1.json.0123abcd`]) leave(name)
    expect(await queue.prune()).toMatchObject({ files: 1 })
    expect(files()).toEqual([`.${id}.1.json.0123abcd`, `${id}.1.json`])
    // Once released, that run can settle nothing.
    await time.until(runner.stop())
    expect(await queue.prune()).toMatchObject({ files: 2 })
  })

  it('touches nothing that is not a result file', async () => {
    const foreign = ['README', 'notes.1.json', 'op_5.json', 'op_5.1.json.bak', '.op_5.1.json']
    for (const name of foreign) leave(name)
    mkdirSync(join(folder, 'op_5.1.json'))
    expect(await queue.prune()).toMatchObject({ files: 0 })
    expect(files()).toEqual([...foreign, 'op_5.1.json'].sort())
  })

  it('creates no folder, and stops on abort', async () => {
    expect(await queue.prune()).toMatchObject({ files: 0 })
    expect(existsSync(folder)).toBe(false)
    leave('op_1.1.json')
    await expect(queue.prune({}, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
    expect(files()).toEqual(['op_1.1.json'])
  })
})
