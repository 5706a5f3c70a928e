import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { runCommand } from '../../../test/cli/terminal.ts'
import type { Capability } from '../../capability/capability.ts'
import { defineCapability } from '../../capability/define.ts'
import { openQueue } from '../../queue/open.ts'

const large = 'x'.repeat(100_000)
const work = defineCapability({
  name: 'work',
  params: z.object({ key: z.string() }),
  secrets: ['key'],
  retry: 'replay',
  run: async ({ key }) => (key === 'hunter2hunter2' ? large : 'wrong key'),
}) as unknown as Capability

let folder: string
let data: string
let done: string
let waiting: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mulligan-backup-'))
  data = join(folder, 'state')
  await using queue = await openQueue({ data, capabilities: [work], env: {} })
  done = (await queue.submit('work', { key: 'hunter2hunter2' })).id
  const runner = queue.runner()
  await runner.start()
  await queue.wait(done)
  await runner.stop()
  waiting = (await queue.submit('work', { key: 'hunter2hunter2' })).id
})

const run = (...argv: string[]) => runCommand(argv, { cwd: folder })
const inVariable = { MULLIGAN_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }
const filesOf = (place: string) => readdirSync(place).sort()

describe('a backup', () => {
  it('restores everything elsewhere: operations, large results and, with the key, secrets', async () => {
    expect(await run('backup', 'copy', '--with-key', '--data', data)).toMatchObject({ code: 0 })
    rmSync(data, { recursive: true })
    expect(await run('restore', 'copy', '--data', 'again')).toMatchObject({ code: 0 })
    await using queue = await openQueue({ data: join(folder, 'again'), capabilities: [work], env: {} })
    expect(await queue.result(done)).toMatchObject({ state: 'succeeded', value: large })
    const runner = queue.runner()
    await runner.start()
    await queue.wait(waiting)
    expect(await queue.result(waiting)).toMatchObject({ state: 'succeeded', value: large })
  })

  it('includes the key only on request, readable by its owner alone', async () => {
    await run('backup', 'without', '--data', data)
    await run('backup', 'with', '--with-key', '--data', data)
    expect(filesOf(join(folder, 'without'))).toEqual(['ledger.db', 'results'])
    expect(filesOf(join(folder, 'with'))).toEqual(['ledger.db', 'results', 'secret.key'])
    expect(statSync(join(folder, 'with')).mode & 0o777).toBe(0o700)
    for (const name of ['ledger.db', 'secret.key', 'results/op_1.1.json'])
      expect(statSync(join(folder, 'with', name)).mode & 0o777).toBe(0o600)
  })

  it('names the variable that holds the key, which it cannot copy', async () => {
    const backUp = () =>
      runCommand(['backup', 'copy', '--with-key', '--data', data], { cwd: folder, env: inVariable })
    expect((await backUp()).stdout).toContain('It does not include the key in MULLIGAN_SECRET_KEY.')
    rmSync(join(folder, 'copy'), { recursive: true })
    rmSync(join(data, 'secret.key'))
    expect(await backUp()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no key to copy: the key is in the variable MULLIGAN_SECRET_KEY'),
    })
    expect(filesOf(folder)).toEqual(['state'])
  })

  it('never overwrites anything, and leaves no partial copy behind', async () => {
    writeFileSync(join(folder, 'taken'), '')
    expect(await run('backup', 'taken', '--data', data)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('never replaces'),
    })
    rmSync(join(data, 'secret.key'))
    expect(await run('backup', 'copy', '--with-key', '--data', data)).toMatchObject({ code: 1 })
    expect(filesOf(folder)).toEqual(['state', 'taken'])
  })
})

describe('a restore', () => {
  it('refuses a data folder that is not empty', async () => {
    await run('backup', 'copy', '--data', data)
    expect(await run('restore', 'copy', '--data', data)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('never replaces anything'),
    })
  })

  it.each([
    ['a key file that cannot be ours', 'secret.key', (file: string) => writeFileSync(file, 'not a key\n')],
    ['an empty key file', 'secret.key', (file: string) => writeFileSync(file, '\n')],
    ['a huge key file', 'secret.key', (file: string) => writeFileSync(file, '#'.repeat(100_000))],
    [
      'a link to a key elsewhere',
      'secret.key',
      (file: string) => symlinkSync(join(data, 'secret.key'), file),
    ],
    ['a pipe in place of the key', 'secret.key', (file: string) => execFileSync('mkfifo', [file])],
    ['a pipe in place of the ledger', 'ledger.db', (file: string) => execFileSync('mkfifo', [file])],
  ])('is refused with %s', async (_what, name, put) => {
    await run('backup', 'copy', '--with-key', '--data', data)
    rmSync(join(folder, 'copy', name))
    put(join(folder, 'copy', name))
    expect(await run('restore', 'copy', '--data', 'again')).toMatchObject({ code: 1, stdout: '' })
    expect(existsSync(join(folder, 'again', 'ledger.db'))).toBe(false)
    if (name === 'ledger.db') expect((await run('ledger', 'check', 'copy/ledger.db')).code).toBe(1)
  })

  it('refuses a damaged backup before it writes', async () => {
    await run('backup', 'copy', '--data', data)
    const file = join(folder, 'copy', 'ledger.db')
    chmodSync(file, 0o600)
    const db = new DatabaseSync(file)
    db.exec('UPDATE operations SET attempts = 9')
    db.close()
    expect(await run('restore', 'copy', '--data', 'again')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is damaged'),
    })
    expect(existsSync(join(folder, 'again'))).toBe(false)
    expect(await run('restore', 'nowhere', '--data', 'again')).toMatchObject({ code: 1 })
    expect(await run('restore')).toMatchObject({ code: 2 })
  })
})
