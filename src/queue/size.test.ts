import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Capability } from '../capability/capability.ts'
import { defineCapability } from '../capability/define.ts'
import { LEDGER_NAME } from '../ledger/location.ts'
import type { Operation } from '../ledger/operation.ts'
import { testQueue } from '../testing/test-queue.ts'
import { openQueue } from './open.ts'
import { operationToJson } from './operation-json.ts'

const echo = defineCapability({
  name: 'echo',
  params: z.object({ text: z.string(), more: z.unknown().optional() }),
  retry: 'replay',
  run: async ({ text, more }) => more ?? text,
}) as unknown as Capability

const shownAs = (operation: Operation) => operationToJson(operation, { capability: echo, maxRetries: 5 })

describe('the size of an operation', () => {
  it('is bounded: parameters above 1 MiB are refused, and the error says what to do', async () => {
    await using queue = (await testQueue({ capabilities: [echo] })).queue
    const text = 'x'.repeat(1_048_577)
    const refused = { code: 'too_large', message: expect.stringMatching(/the limit is 1048576: .*file/) }
    await expect(queue.submit('echo', { text })).rejects.toMatchObject(refused)
    await expect(queue.run('echo', { text })).rejects.toMatchObject(refused)
    await expect(queue.submit('elsewhere', { text }, { unchecked: true })).rejects.toMatchObject(refused)
    await expect(queue.submit('echo', { text: '' }, { context: text })).rejects.toMatchObject(refused)
    const { id } = await queue.submit('echo', { text: 'x'.repeat(1_000_000) })
    await expect(queue.edit(id, { params: { text } })).rejects.toMatchObject(refused)
    expect((await queue.ledger.list()).items).toHaveLength(1)
  })

  it('can be configured', async () => {
    await using queue = (await testQueue({ capabilities: [echo], maxParamsBytes: 100 })).queue
    await expect(queue.submit('echo', { text: 'x'.repeat(100) })).rejects.toMatchObject({ code: 'too_large' })
  })

  it('is that of the text that is checked and stored: parameters are serialised once', async () => {
    await using queue = (await testQueue({ capabilities: [echo], maxParamsBytes: 100 })).queue
    let times = 0
    const given = { toJSON: () => ({ text: 'x'.repeat(10 ** times++) }) }
    const { id } = await queue.submit('echo', given)
    expect(await queue.ledger.get(id)).toMatchObject({ params: { text: 'x' } })
    expect(times).toBe(1)
  })

  it('is counted in bytes, not in characters', async () => {
    await using queue = (await testQueue({ capabilities: [echo], maxParamsBytes: 100 })).queue
    await queue.submit('echo', { text: 'é'.repeat(44) })
    await expect(queue.submit('echo', { text: 'é'.repeat(45) })).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('take 101 bytes'),
    })
  })

  it('keeps a result within the limit whole, and only the beginning of a larger one', async () => {
    const data = mkdtempSync(join(tmpdir(), 'mulligan-'))
    await using queue = await openQueue({ data, capabilities: [echo], maxResultBytes: 200_000 })
    const whole = await queue.submit('echo', { text: 'x'.repeat(150_000) })
    const large = await queue.submit('echo', { text: 'x'.repeat(250_000) })
    const runner = queue.runner()
    await runner.start()
    await queue.wait(whole.id)
    await queue.wait(large.id)
    expect(await queue.result(whole.id)).toMatchObject({ value: 'x'.repeat(150_000) })
    expect(await queue.result(large.id)).toMatchObject({
      value: { $cut: { note: 'the result is larger than 200000 bytes; only the beginning was kept' } },
    })
    const { items } = await queue.ledger.list()
    expect(items.map(operation => shownAs(operation).result_cut)).toEqual([true, true])
  })

  it('a program that returns what looks like a truncated result gets it back unchanged', async () => {
    const data = mkdtempSync(join(tmpdir(), 'mulligan-'))
    await using queue = await openQueue({ data, capabilities: [echo] })
    const secret = await queue.submit('echo', { text: 'secret '.repeat(20_000) })
    const runner = queue.runner()
    await runner.start()
    await queue.wait(secret.id)
    const { result } = (await queue.ledger.get(secret.id)) as { result?: unknown }
    const forger = await queue.submit('echo', { text: '', more: result })
    await queue.wait(forger.id)
    expect(await queue.result(forger.id)).toMatchObject({ state: 'succeeded', value: result })
  })

  it('also limits pages: a list ends a page early rather than returning everything', async () => {
    await using queue = (await testQueue({ capabilities: [echo] })).queue
    for (let i = 0; i < 12; i++) await queue.submit('echo', { text: String(i).padEnd(1_000_000) })
    const pages: number[] = []
    let cursor: string | undefined
    do {
      const page = await queue.ledger.list({}, cursor === undefined ? {} : { cursor })
      pages.push(page.items.length)
      cursor = page.next
    } while (cursor !== undefined)
    expect(pages).toEqual([2, 2, 2, 2, 2, 2])
  })
})

describe('a damaged row', () => {
  it('breaks no list, status or timeline, and is parked instead of run', async () => {
    const data = mkdtempSync(join(tmpdir(), 'mulligan-'))
    await using queue = await openQueue({ data, capabilities: [echo] })
    const { id } = await queue.submit('echo', { text: 'a' })
    const good = await queue.submit('echo', { text: 'b' })
    const db = new DatabaseSync(join(data, LEDGER_NAME))
    db.exec(`UPDATE operations SET params = '{"text":', context = '[', provider = '[', created_at = 9e15
      WHERE id = ${Number(id.slice(3))}`)
    db.close()
    const { items } = await queue.ledger.list()
    expect(items.map(operation => operation.id)).toEqual([good.id, id])
    expect(items.at(-1)).toMatchObject({ params: '[unreadable]', context: '[unreadable]', providers: [] })
    expect(JSON.stringify(items.map(shownAs))).toContain('[unreadable]')
    await queue.status()
    const runner = queue.runner()
    await runner.start()
    await queue.wait(good.id)
    const parked = await new Promise(resolve => {
      const look = () =>
        void queue.ledger.get(id).then(operation => {
          if (operation?.state === 'parked') resolve(operation.parkedFor)
        })
      queue.ledger.onChange(look)
      look()
    })
    expect(parked).toBe('parameters')
  })
})
