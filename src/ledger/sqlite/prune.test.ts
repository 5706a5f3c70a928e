import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { memoryLedger } from '../../testing/memory-ledger.ts'
import type { Operation } from '../operation.ts'
import { openLedger } from './sqlite-ledger.ts'

describe('pruning', () => {
  it('keeps an operation whose end time changed while pruning waited for the lock', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mulligan-prune-'))
    const time = new FakeTime()
    const ledger = await openLedger({ file: join(folder, 'ledger.db'), time })
    const other = await openLedger({ file: join(folder, 'ledger.db'), time })
    try {
      await ledger.transaction(writes => {
        writes.insert([{ capability: 'a', params: 1 }])
        writes.start('op_1')
        writes.settle({ id: 'op_1', run: 1 }, { succeeded: true })
      })
      await time.advance(31 * 86_400_000)
      await ledger.transaction(writes => writes.insert([{ capability: 'a', params: 2 }]))
      const pruned = ledger.prune()
      // The other process gets the lock first.
      other.read(db => db.exec(`UPDATE operations SET ended_at = ${time.now()} WHERE id = 1`))
      expect(await pruned).toEqual({ succeeded: 0, dead: 0, events: 0, notices: 0, workflows: 0 })
      expect(await ledger.get('op_1')).toBeDefined()
    } finally {
      await ledger.close()
      await other.close()
      rmSync(folder, { recursive: true })
    }
  })

  it('deletes only what is too old or too many, oldest first', async () => {
    const made = fc.record({
      capability: fc.constantFrom('a', 'b'),
      end: fc.constantFrom('succeeded' as const, 'dead' as const, undefined),
      key: fc.boolean(),
      jump: fc.constantFrom(0, 10, 10, 1_000, -500),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(made, { maxLength: 25 }),
        fc.record(
          {
            succeededAfterMs: fc.nat(2_000),
            deadAfterMs: fc.nat(2_000),
            keepSucceeded: fc.nat(6),
            keepDead: fc.nat(6),
          },
          { requiredKeys: [] },
        ),
        fc.integer({ min: 1, max: 4 }),
        async (operations, policy, step) => {
          const time = new FakeTime()
          const ledger = await memoryLedger({ time })
          for (const [index, { capability, end, key, jump }] of operations.entries())
            await ledger.transaction(writes => {
              time.jump(jump)
              const more = key ? { key: `k${index}`, keyRetentionMs: 700 } : {}
              const id = writes.insert([{ capability, params: 1, ...more }])[0]?.id as string
              if (end === 'dead') writes.cancel(id, 'enough')
              const started = end === 'succeeded' ? writes.start(id) : undefined
              if (started) writes.settle({ id, run: started.operation.run }, { succeeded: true })
            })
          const before = (await ledger.list({}, { limit: 1_000 })).items.toReversed()
          const keyed = new Set(before.filter(({ key }) => key !== undefined).map(({ id }) => id))
          const expected = before.filter(
            operation => !forgotten(before, policy, time.now(), keyed).has(operation.id),
          )
          await ledger.prune({ ...policy, step })
          const after = (await ledger.list({}, { limit: 1_000 })).items.toReversed()
          expect(after.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
          await ledger.close()
        },
      ),
      { numRuns: 60 * Number(process.env.FC_PARTS ?? 1) },
    )
  })
})

/** What a literal reading of the policy deletes, given all operations in the order of their ids. */
function forgotten(
  all: readonly Operation[],
  policy: { succeededAfterMs?: number; deadAfterMs?: number; keepSucceeded?: number; keepDead?: number },
  now: number,
  keyed: ReadonlySet<string>,
): Set<string> {
  const gone = new Set<string>()
  for (const [state, afterMs = Infinity, keep = Infinity] of [
    ['succeeded', policy.succeededAfterMs, policy.keepSucceeded],
    ['dead', policy.deadAfterMs, policy.keepDead],
  ] as const) {
    const ended = all.flatMap(operation => (operation.state === state ? [operation] : []))
    const free = ended.filter(({ id, endedAt }) => !keyed.has(id) || endedAt + 700 < now)
    for (const { id, endedAt, createdAt } of free)
      if (endedAt < now - afterMs && createdAt < now - afterMs) gone.add(id)
    const rest = free.filter(({ id }) => !gone.has(id))
    const left = ended.filter(({ id }) => !gone.has(id)).length
    for (const { id } of rest.slice(0, Math.max(0, left - keep))) gone.add(id)
  }
  return gone
}
