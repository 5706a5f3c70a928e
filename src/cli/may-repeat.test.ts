import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineCapability } from '../capability/define.ts'
import { openQueue } from '../queue/open.ts'
import { defineWorkflow } from '../workflow/define.ts'
import { runCommand } from './test-terminal.ts'

let cwd: string
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'mulligan-repeat-'))
  const charge = defineCapability({
    name: 'charge',
    params: z.object({}),
    retry: 'none',
    run: () => {
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    },
  })
  const queue = await openQueue({ data: join(cwd, 'data'), capabilities: [charge as never] })
  const buy = defineWorkflow({
    name: 'buy',
    params: z.object({}),
    steps: ({ run }) => void run('pay', charge, { params: {} }),
  })
  await queue.runner().start()
  const started = await queue.start(buy, {})
  await started.wait()
  await queue.close()
})
afterEach(() => rmSync(cwd, { recursive: true }))

const mulligan = (argv: string[], ask?: (question: string) => Promise<string>) =>
  runCommand([...argv, '--data', join(cwd, 'data')], { cwd, now: Date.now, ...(ask ? { ask } : {}) })
const idOf = async () =>
  JSON.parse((await mulligan(['ops', 'ls', '--json'])).stdout).operations[0].id as string

describe.each(['ops retry', 'workflow retry'])('mulligan %s of what may have taken effect', command => {
  const argv = async () => [...command.split(' '), command === 'ops retry' ? await idOf() : 'wf_1']

  it('does nothing without --may-repeat', async () => {
    const { code, stderr } = await mulligan(await argv())
    expect(code).not.toBe(0)
    expect(stderr).toContain('it may already have taken effect')
    expect(stderr).toContain('--may-repeat')
    expect((await mulligan(['status', '--json'])).stdout).toContain('"dead":1')
  })

  it('runs it again with the flag, or if a person at a terminal says so', async () => {
    expect(await mulligan(await argv(), async () => 'no')).not.toMatchObject({ code: 0 })
    let asked = ''
    const yes = async (question: string) => {
      asked = question
      return 'y'
    }
    expect(await mulligan(await argv(), yes)).toMatchObject({ code: 0 })
    expect(asked).toContain('This may happen twice')
  })

  it('takes the flag', async () => {
    expect(await mulligan([...(await argv()), '--may-repeat'])).toMatchObject({ code: 0 })
  })
})
