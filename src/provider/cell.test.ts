import { describe, expect, it } from 'vitest'
import { Cell } from './cell.ts'
import { MemoryStore } from './memory-store.ts'
import type { ProviderStore } from './store.ts'

const more = (value: number | undefined) => (value ?? 0) + 1

function cellOn(store: ProviderStore | undefined) {
  const told: string[] = []
  const problems: unknown[] = []
  const cell = new Cell<number>(
    'k',
    store,
    (before, after) => told.push(`${before} -> ${after}`),
    error => problems.push(error),
  )
  return { cell, told, problems }
}

describe('a shared piece of state', () => {
  it('shows a change at once, and reports it when it is written', async () => {
    const { cell, told } = cellOn(new MemoryStore())
    cell.update(more)
    expect(cell.value).toBe(1)
    expect(told).toEqual([])
    await cell.written()
    expect(told).toEqual(['undefined -> 1'])
  })

  it('applies its changes again if another process wrote first, so none is lost', async () => {
    const store = new MemoryStore()
    const [one, two] = [cellOn(store), cellOn(store)]
    for (let i = 0; i < 10; i++) {
      one.cell.update(more)
      two.cell.update(more)
    }
    await Promise.all([one.cell.written(), two.cell.written()])
    expect((await store.read('k')).value).toBe(20)
    await Promise.all([one.cell.refresh(), two.cell.refresh()])
    expect([one.cell.value, two.cell.value]).toEqual([20, 20])
  })

  it('lets one of several commits win, and returns the value to all', async () => {
    const store = new MemoryStore()
    const take = (id: number) => (value: number | undefined) => value ?? id
    const outcomes = await Promise.all([7, 8, 9].map(id => cellOn(store).cell.commit(take(id))))
    expect(new Set(outcomes).size).toBe(1)
  })

  it('keeps what could not be written for the next time, and rejects what waits for it', async () => {
    const store = new MemoryStore()
    const broken = new Error('disk full')
    let isDown = true
    const flaky = new Proxy(store, {
      get(target, name: keyof ProviderStore) {
        const member = target[name] as (...given: unknown[]) => unknown
        return (...given: unknown[]) => (isDown ? Promise.reject(broken) : member.apply(target, given))
      },
    })
    const { cell, problems } = cellOn(flaky)
    cell.update(more)
    await expect(cell.commit(more)).rejects.toBe(broken)
    expect(problems).toEqual([broken])
    expect(cell.value).toBe(1)
    isDown = false
    await cell.written()
    expect((await store.read('k')).value).toBe(1)
  })

  it('without a store is only a value', async () => {
    const { cell, told } = cellOn(undefined)
    cell.update(more)
    expect(await cell.commit(more)).toBe(2)
    cell.update(value => value)
    expect(told).toEqual(['undefined -> 1', '1 -> 2'])
  })
})
