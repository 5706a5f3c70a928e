import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { defineCapability } from '../capability/define.ts'
import { openQueue } from './open.ts'
import { isHandedOver } from './run-result.ts'

it('lets secret parameters refer only to the variables that mayRefer allows', async () => {
  const deploy = defineCapability({
    name: 'deploy',
    params: z.object({ token: z.string() }),
    secrets: ['token'],
    retry: 'none',
    run: ({ token }) => token.length,
  })
  await using queue = await openQueue({
    data: mkdtempSync(join(tmpdir(), 'mulligan-open-')),
    capabilities: [deploy],
    env: { DEPLOY_TOKEN: 'hunter2', OTHER: 'secret' },
    mayRefer: name => name.startsWith('DEPLOY_'),
  })
  expect(await queue.run('deploy', { token: 'env:DEPLOY_TOKEN' })).toMatchObject({ value: 7 })
  const refused = await queue.run('deploy', { token: 'env:OTHER' })
  expect(isHandedOver(refused) && refused.parkedFor).toBe('parameters')
})

it('says that it needs a folder', async () => {
  for (const options of [{}, { data: '' }, { data: 5 }])
    await expect(openQueue(options as never)).rejects.toThrow('openQueue: data must be the path of a folder')
})
