import { expect, it } from 'vitest'
import { z } from 'zod'
import type { WorkContext } from '../capability/context.ts'
import { defineCapability } from '../capability/define.ts'
import { failureOfKind } from '../testing/core/scripted-failure.ts'
import { testQueue } from '../testing/test-queue.ts'

it('work that continues a session is told what its earlier tries cost, because a CLI reports the total', async () => {
  const told: unknown[] = []
  const capability = defineCapability({
    name: 'review',
    retry: 'none',
    resumable: true,
    maxRetries: 2,
    params: z.object({}),
    run: (_params: unknown, { resume }: WorkContext) => {
      told.push(resume?.costUsd)
      return failureOfKind({ kind: 'stream_cut', effect: 'maybe', sessionId: 's-1', costUsd: 1.5 })
    },
  })
  const { queue, time } = await testQueue({ capabilities: [capability] as never })
  await queue.submit('review', {})
  await queue.runner().start()
  await time.advance(600_000)
  await queue.close()
  expect(told).toEqual([undefined, 1.5, 3])
})
