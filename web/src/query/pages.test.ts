import { describe, expect, it, vi } from 'vitest'
import type { LedgerEvent, Operation } from '../api/answers.ts'
import { Pages } from './pages.ts'

/** Operations newest first, answered in pages as the API does: the cursor is the id of the next one. */
class Source {
  asked: string[] = []
  readonly #ids: number[]

  constructor(count: number) {
    this.#ids = Array.from({ length: count }, (_, index) => count - index)
  }

  add(count: number): void {
    for (let each = 0; each < count; each += 1) this.#ids.unshift((this.#ids[0] ?? 0) + 1)
  }

  look = async (path: string) => {
    const search = new URL(path, 'http://x').searchParams
    const limit = Number(search.get('limit'))
    const cursor = search.get('cursor')
    this.asked.push(cursor ?? 'first')
    const from = cursor === null ? 0 : this.#ids.findIndex(id => id <= Number(cursor.slice(3)))
    const ids = this.#ids.slice(from, from + limit)
    const next = this.#ids[from + limit]
    return {
      operations: ids.map(id => ({ id: `op_${id}` }) as Operation),
      ...(next === undefined ? {} : { next: `op_${next}` }),
    }
  }
}

/** All rows that are known, by number. */
const numbers = (pages: Pages) =>
  Array.from({ length: pages.length }, (_, index) => Number(pages.row(index)?.id.slice(3)))

/** Waits for answers that come in this process, so that nothing has to be waited for in between. */
const soon = (check: () => void) => vi.waitFor(check, { interval: 1, timeout: 10_000 })

const submitted: LedgerEvent = { id: 1, at: '', type: 'submitted', operation: 'op_9999' }

async function opened(source: Source, rows: number): Promise<Pages> {
  const pages = new Pages('', source.look)
  await soon(() => {
    pages.look(Math.max(0, pages.length - 10), pages.length)
    expect(pages.length).toBeGreaterThanOrEqual(rows)
  })
  return pages
}

const downFrom = (first: number, count: number) => Array.from({ length: count }, (_, index) => first - index)

describe('pages', () => {
  it('load one after another, until there are no more', async () => {
    const pages = await opened(new Source(450), 450)
    expect(numbers(pages)).toEqual(downFrom(450, 450))
    expect(pages.isAll).toBe(true)
  })

  it('contain every row once after new rows arrive at the top', async () => {
    const source = new Source(600)
    const pages = await opened(source, 400)
    source.add(3)
    pages.heard([submitted], true)
    await soon(() => expect(pages.row(0)?.id).toBe('op_603'))
    expect(numbers(pages)).toEqual(downFrom(603, pages.length))
  })

  it('miss no row when more new rows arrive than fit on a page', async () => {
    const source = new Source(600)
    const pages = await opened(source, 400)
    source.add(450)
    pages.heard([submitted], true)
    await soon(() => {
      pages.look(0, pages.length)
      expect(pages.length).toBe(1_050)
    })
    expect(numbers(pages)).toEqual(downFrom(1_050, 1_050))
  })

  it('do not move while the user reads further down', async () => {
    const source = new Source(600)
    const pages = await opened(source, 400)
    source.asked = []
    source.add(3)
    pages.heard([submitted], false)
    expect(source.asked).toEqual([])
    expect(pages.row(0)?.id).toBe('op_600')
  })

  it('are dropped when they are far away, and load again', async () => {
    const pages = await opened(new Source(4_000), 4_000)
    pages.look(3_900, 3_950)
    expect(pages.row(0)).toBeUndefined()
    expect(pages.row(3_900)?.id).toBe('op_100')
    pages.look(0, 30)
    await soon(() => expect(pages.row(0)?.id).toBe('op_4000'))
    expect(pages.length).toBe(4_000)
  })

  it('clear a problem after the next answer', async () => {
    const source = new Source(10)
    const pages = await opened(source, 10)
    const { look } = source
    source.look = () => Promise.reject(new Error('no answer'))
    const broken = new Pages('', path => source.look(path))
    await soon(() => expect(broken.problem.value?.message).toBe('no answer'))
    source.look = look
    broken.reload()
    await soon(() => expect(broken.length).toBe(10))
    expect(broken.problem.value).toBeUndefined()
    pages.stop()
  })
})
