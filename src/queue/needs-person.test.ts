import { describe, expect, it } from 'vitest'
import { eachTest, ended, make, now, queue, scripted, submitted, time } from '../../test/work.ts'
import { CapabilityRegistry } from '../capability/registry.ts'
import { previewToJson } from './bulk-json.ts'
import { needsPerson } from './needs-person.ts'

eachTest()

/** What would happen if a caller who is not a person retried it. */
const step = async (id: string) => {
  const { moves } = await queue.preview('retry', { ids: [id] }, { asPerson: false })
  return moves[0]
}

describe('a preview for a person', () => {
  it('does what was asked for, and says what may then happen twice', async () => {
    await make({ retry: 'none', script: [{ fails: { kind: 'eof', effect: 'maybe' } }] })
    const id = await submitted()
    await ended(id)
    const preview = await queue.preview('retry', { ids: [id] })
    const why = 'it may already have taken effect, and nothing can check that'
    expect(previewToJson(preview)).toMatchObject({
      counts: { revived: 1 },
      needs_person: 1,
      operations: [{ id, outcome: 'revived', needs_person: why }],
    })
    // Ending it does nothing twice.
    expect(previewToJson(await queue.preview('discard', { ids: [id] }))).not.toHaveProperty('needs_person')
    expect(await queue.apply(preview, { mayRepeat: true })).toMatchObject({ counts: { revived: 1 } })
  })
})

it('an operation of a capability that only other runners have is left to a person once it may have taken effect', async () => {
  await make({ retry: 'replay', script: [{ fails: { kind: 'eof', effect: 'maybe' } }] })
  const id = await submitted()
  await expect.poll(async () => (await now(id)).attempts).toBe(1)
  const deps = { ledger: queue.ledger, registry: new CapabilityRegistry() }
  expect(await needsPerson(deps, await now(id))).toBe(
    'it may already have taken effect, and its capability is not known here',
  )
})

it.each([
  ['none', 'it may already have taken effect, and nothing can check that'],
  ['replay', undefined],
  ['verify_first', undefined],
] as const)('a job of another engine whose worker said retry: %s is judged by that', async (retry, why) => {
  await make({ retry: 'replay', script: [{ fails: { kind: 'eof', effect: 'maybe' } }] })
  const id = await submitted()
  await expect.poll(async () => (await now(id)).attempts).toBe(1)
  const deps = { ledger: queue.ledger, registry: new CapabilityRegistry() }
  const tried = { id, attempts: 1, context: { retry } }
  expect(await needsPerson(deps, { ...tried, capability: 'engine:bullmq/reviews' })).toBe(why)
  // Anybody can write the context of an operation of this ledger's own.
  expect(await needsPerson(deps, { ...tried, capability: 'work' })).toMatch('not known here')
})

describe('an operation that a caller other than a person retries', () => {
  it('is not run again once it may have taken effect, unless a person asks', async () => {
    await make({ retry: 'none', script: [{ fails: { kind: 'eof', effect: 'maybe' } }] })
    const id = await submitted()
    expect(await ended(id)).toMatchObject({ state: 'dead', deadAs: 'unverifiable' })
    expect(await step(id)).toMatchObject({
      outcome: 'none',
      needsPerson: 'it may already have taken effect, and nothing can check that',
    })
    const refused = await queue.preview('retry', { ids: [id] }, { asPerson: false })
    expect(await queue.apply(refused)).toEqual({ counts: {}, left: [] })
    expect(await now(id)).toMatchObject({ state: 'dead' })
    await expect(queue.retry(id)).rejects.toMatchObject({ code: 'may_repeat' })
    expect(await queue.retry(id, { mayRepeat: true })).toBe('revived')
    expect(await ended(id)).toMatchObject({ state: 'succeeded' })
  })

  it.each([
    ['nothing can have happened', { retry: 'none', effect: 'none' }],
    ['running twice does no harm', { retry: 'replay', effect: 'maybe' }],
  ] as const)('is run again if %s', async (_where, { retry, effect }) => {
    await make({ retry, script: [{ fails: { kind: 'not_found', effect } }] })
    const id = await submitted()
    await ended(id)
    const preview = await queue.preview('retry', { ids: [id] }, { asPerson: false })
    expect(preview.moves).toMatchObject([{ outcome: 'revived' }])
    expect(await queue.apply(preview)).toMatchObject({ counts: { revived: 1 } })
    expect(await ended(id)).toMatchObject({ state: 'succeeded' })
  })

  it('is run again if its effect is verified first', async () => {
    await make({
      retry: 'verify_first',
      verify: () => 'absent',
      script: [{ fails: { kind: 'not_found', effect: 'maybe' } }],
    })
    const id = await submitted()
    await ended(id)
    expect(await step(id)).toMatchObject({ outcome: 'revived' })
  })

  it('is unparked in the name of its caller, who takes no responsibility', async () => {
    await make({ retry: 'none', script: [{ fails: { kind: 'auth', effect: 'none' } }] })
    const id = await submitted()
    await expect.poll(async () => (await now(id)).state).toBe('parked')
    const preview = await queue.preview('retry', { ids: [id] }, { asPerson: false })
    expect(await queue.apply(preview)).toMatchObject({ counts: { unparked: 1 } })
    const unparked = (await queue.ledger.timeline(id)).find(({ type }) => type === 'unparked')
    expect(unparked?.data).toMatchObject({ by: 'caller' })
  })

  it('keeps its parameters once it may have taken effect with them', async () => {
    await make({
      retry: 'verify_first',
      verify: () => 'unsure',
      script: [{ fails: { kind: 'eof', effect: 'maybe' } }],
    })
    const { operationId: id } = await time.until(queue.run('work', { n: 1 }))
    await expect(queue.edit(id, { params: { n: 2 } })).rejects.toMatchObject({
      code: 'may_repeat',
      why: `${id} may happen twice: it may already have taken effect as it was`,
    })
    await queue.edit(id, { priority: 3 })
    await queue.edit(id, { params: { n: 2 }, mayRepeat: true })
    expect(await now(id)).toMatchObject({ params: { n: 2 }, priority: 3 })
    expect(scripted.script.tries).toHaveLength(1)
  })
})
