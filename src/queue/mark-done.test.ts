import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { hasPostgres, testSchema } from '../../test/ledger/postgres/schema.ts'
import { defineCapability } from '../capability/define.ts'
import { scriptedCapability } from '../testing/scripted.ts'
import type { OperationFailed } from './error.ts'
import { type OpenedQueue, openQueue } from './open.ts'

const large = { text: 'x'.repeat(100_000) }
const other = { text: 'y'.repeat(100_000) }
const postgres = hasPostgres ? testSchema() : undefined

describe.each([['a file', undefined], ...(postgres ? ([['PostgreSQL', postgres]] as const) : [])] as const)(
  'marking as done on %s',
  (_ledger, schema) => {
    let queue: OpenedQueue
    let data: string
    beforeEach(async () => {
      data = mkdtempSync(join(tmpdir(), 'mulligan-done-'))
      queue = await openQueue({
        data,
        ...(schema ? { database: schema.url, connections: 2 } : {}),
        capabilities: [
          scriptedCapability({ name: 'work', rest: large }).capability,
          defineCapability({
            name: 'broken',
            retry: 'none',
            params: z.unknown(),
            run: () => {
              throw new Error('no')
            },
          }),
        ],
      })
      await schema?.empty()
    })
    afterEach(() => queue.close())

    const dead = async () => {
      const failed = await queue.run('broken', {}).catch((error: OperationFailed) => error)
      return (failed as OperationFailed).operation.id
    }

    it('leaves the result of a succeeded operation alone when it is refused', async () => {
      const { operationId: id } = await queue.run('work', {})
      await expect(queue.markDone(id, { result: other })).rejects.toThrow(
        `${id} is succeeded: only a dead or parked operation`,
      )
      expect(await queue.result(id)).toMatchObject({ state: 'succeeded', value: large })
    })

    it('keeps a large result apart from those of runs, also while old files are deleted', async () => {
      const id = await dead()
      mkdirSync(join(data, 'results'), { mode: 0o700, recursive: true })
      // As it is between storing and marking.
      writeFileSync(join(data, 'results', `${id}.0.json`), '"draft"', { mode: 0o600 })
      expect(await queue.prune()).toMatchObject({ files: 0 })
      await queue.markDone(id, { result: other })
      await queue.prune()
      expect(await queue.result(id)).toMatchObject({ state: 'succeeded', value: other })
      const kept = await queue.ledger.results?.kept(id, 0)
      if (schema) expect(kept).toBe(JSON.stringify(other))
      else expect(readdirSync(join(data, 'results'))).toEqual([`${id}.0.json`])
    })
  },
)
