import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLedger } from '../ledger/index.ts'
import { runCommand } from './test-terminal.ts'

let folder: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mulligan-cli-'))
  const ledger = await openLedger({ file: join(folder, 'ledger.db') })
  await ledger.transaction(writes => writes.insert([{ capability: 'a', params: 1 }]))
  await ledger.close()
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('mulligan ledger check', () => {
  it('says that all promises hold, in words and as JSON', async () => {
    expect(await runCommand(['ledger', 'check', '--data', folder])).toEqual({
      code: 0,
      stdout: `${join(folder, 'ledger.db')}: 1 operations, 1 events, all promises hold\n`,
      stderr: '',
    })
    const { stdout } = await runCommand(['ledger', 'check', join(folder, 'ledger.db'), '--json'])
    expect(JSON.parse(stdout)).toEqual({
      ledger: join(folder, 'ledger.db'),
      operations: 1,
      events: 1,
      findings: [],
    })
  })

  it('names what is broken, with exit code 1', async () => {
    const db = new DatabaseSync(join(folder, 'ledger.db'))
    db.exec('UPDATE operations SET attempts = 3')
    db.close()
    expect(await runCommand(['ledger', 'check', 'ledger.db'], { cwd: folder })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('attempts_are_numbered: op_1 says it has 3 attempts'),
    })
  })

  it('tells what it needs', async () => {
    expect(await runCommand(['ledger'])).toMatchObject({ code: 2 })
    expect(await runCommand(['ledger', 'chekc'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean "ledger check"?'),
    })
    expect(await runCommand(['ledger', 'check', 'nowhere.db'], { cwd: folder })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no ledger at'),
    })
  })
})
