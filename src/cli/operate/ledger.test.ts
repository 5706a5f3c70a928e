import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/cli/terminal.ts'
import { fill } from '../../../test/ledger/sqlite/ledger-folder.ts'
import { lockFolder } from '../../daemon/lock.ts'
import { sizeInWords } from '../../daemon/words/size-words.ts'
import { openLedger } from '../../ledger/sqlite/sqlite-ledger.ts'

let folder: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mulligan-cli-'))
  const ledger = await openLedger({ file: join(folder, 'ledger.db') })
  await ledger.transaction(writes => writes.insert([{ capability: 'a', params: 1 }]))
  await ledger.close()
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('mulligan ledger check', () => {
  it('reports a valid ledger, in words and as JSON', async () => {
    expect(await runCommand(['ledger', 'check', '--data', folder])).toEqual({
      code: 0,
      stdout: `${join(folder, 'ledger.db')}: 1 operations, 1 events, valid\n`,
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

  it('names what is broken, and exits with 1', async () => {
    const db = new DatabaseSync(join(folder, 'ledger.db'))
    db.exec('UPDATE operations SET attempts = 3')
    db.close()
    expect(await runCommand(['ledger', 'check', 'ledger.db'], { cwd: folder })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('attempts_are_numbered: op_1 should have 3 attempts'),
    })
  })

  it('names the mistake in wrong usage', async () => {
    expect(await runCommand(['ledger'])).toMatchObject({ code: 2 })
    expect(await runCommand(['ledger', 'chekc'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean "ledger check"?'),
    })
    expect(await runCommand(['ledger', 'check', 'nowhere.db'], { cwd: folder })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no ledger at'),
    })
  })
})

describe('mulligan ledger compact', () => {
  const file = () => join(folder, 'ledger.db')
  const compact = (...more: string[]) => runCommand(['ledger', 'compact', '--data', folder, ...more])

  it('shrinks the ledger, and says how many bytes it freed', async () => {
    const ledger = await openLedger({ file: file() })
    await fill(ledger, 2_000)
    await ledger.prune({ deadAfterMs: -1 })
    await ledger.close()
    const before = statSync(file()).size
    const { code, stdout } = await compact('--json')
    const after = statSync(file()).size
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      ledger: file(),
      before_bytes: before,
      after_bytes: after,
      freed_bytes: before - after,
    })
    expect(after).toBeLessThan(before / 2)
    expect(await compact()).toEqual({
      code: 0,
      stdout: `${file()}: freed 0 B, ${sizeInWords(after)} left\n`,
      stderr: '',
    })
    expect(await runCommand(['ledger', 'check', '--data', folder])).toMatchObject({ code: 0 })
  })

  it('is what prune recommends for a file of an older version', async () => {
    const ledger = await openLedger({ file: file() })
    await fill(ledger, 2_000)
    await ledger.close()
    const db = new DatabaseSync(file())
    db.exec('PRAGMA auto_vacuum = NONE; VACUUM; UPDATE operations SET ended_at = 1 WHERE ended_at > 0')
    db.exec('UPDATE operations SET created_at = 0')
    db.close()
    const prune = () => runCommand(['prune', '--dead', '1d', '--data', folder], { now: Date.now() })
    const { stdout, stderr } = await prune()
    expect(stdout).toMatch(/^deleted 0 succeeded and 2000 dead operations, /)
    expect(stderr).toMatch(
      /^\d\.\d MB of the ledger are free but cannot be returned .*run: mulligan ledger compact/,
    )
    await compact()
    expect((await prune()).stderr).toBe('')
  })

  it('shows its progress on a terminal', async () => {
    const { stderr } = await runCommand(['ledger', 'compact', '--data', folder], { stderrIsTerminal: true })
    expect(stderr).toMatch(/copying [\d.]+ kB …/)
    expect(stderr).toMatch(/writing 100 % of [\d.]+ kB …\r\u001b\[K$/)
  })

  it('is refused while a daemon or a runner is alive, and names it', async () => {
    const lock = lockFolder(folder, 0)
    expect(await compact()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        `a daemon is using ${folder} \\(process ${process.pid} on .*\\); stop it first`,
      ),
    })
    if (lock.held) lock.release()
    const ledger = await openLedger({ file: file() })
    await ledger.advertise({ id: 'r1', capabilities: [], label: 'build-7' })
    expect(await compact()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(build-7): stop it first'),
    })
    await ledger.close()
  })

  it.each(['backup', 'restore', 'migrate', 'prune'])('is also what has %s', async verb => {
    expect(await runCommand(['ledger', verb, '--help'])).toEqual(await runCommand([verb, '--help']))
    const asVerb = await runCommand(['ledger', verb, '--nonsense'])
    expect(asVerb).toMatchObject({ code: 2, stderr: expect.stringContaining('unknown option --nonsense') })
  })

  it('takes no file, and creates none', async () => {
    expect(await compact('other.db')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('compact takes no FILE; name its folder with --data'),
    })
    const { code, stderr } = await runCommand(['ledger', 'compact', '--data', join(folder, 'none')])
    expect(code).toBe(1)
    expect(stderr).toContain('no ledger at')
    expect(existsSync(join(folder, 'none'))).toBe(false)
  })
})
