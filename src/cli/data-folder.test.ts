import { chmodSync, chownSync, mkdirSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { runCommand } from '../../test/cli/terminal.ts'
import { SecretKeyError } from '../capability/secret/key-ring.ts'
import { Secrets } from '../capability/secret/secrets.ts'
import { checkPrivateFolder, isThere } from '../config/private-folder.ts'
import { lockFolder } from '../daemon/lock.ts'
import { openLedger } from '../ledger/sqlite/sqlite-ledger.ts'

const isRoot = process.geteuid?.() === 0
const NOBODY = 65_534

afterEach(() => {
  if (isRoot) process.seteuid?.(0)
})

const folder = () => mkdtempSync(join(tmpdir(), 'mulligan-private-'))

describe('a data folder', () => {
  it.each([0o770, 0o702, 0o777, 0o1777])(
    'that others can write to (mode %o) is refused, with the fix',
    mode => {
      const data = folder()
      chmodSync(data, mode)
      expect(() => checkPrivateFolder(data, [])).toThrow(`chmod go-w ${data}`)
      chmodSync(data, 0o755)
      expect(() => checkPrivateFolder(data, [])).not.toThrow()
    },
  )

  it('that others can write to is refused by every command that writes to it', async () => {
    const data = folder()
    chmodSync(data, 0o777)
    await expect(openLedger({ file: join(data, 'ledger.db') })).rejects.toThrow('other users can write to it')
    expect(() => lockFolder(data, 0)).toThrow('other users can write to it')
    const secrets = new Secrets({ folder: data })
    expect(() => secrets.seal({ name: 'x', secrets: ['a'] }, { a: 'b' })).toThrow(SecretKeyError)
    for (const argv of [['status'], ['submit', 'x', '--unchecked'], ['serve'], ['ops', 'ls']]) {
      const { code, stderr } = await runCommand([...argv, '--data', data], { cwd: folder() })
      // Read-only commands create nothing, and there is nothing to read.
      if (argv[0] === 'submit' || argv[0] === 'serve')
        expect({ code, stderr }).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('other users can write to it'),
        })
    }
  })

  it.each(['ledger.db', 'ledger.db-wal'])('with a symbolic link for its %s is refused', async name => {
    const data = folder()
    const target = join(folder(), 'victim')
    writeFileSync(target, 'precious')
    symlinkSync(target, join(data, name))
    await expect(openLedger({ file: join(data, 'ledger.db') })).rejects.toThrow(
      `${name} in it is a symbolic link`,
    )
    expect(statSync(target).size).toBe(8)
  })

  it('with a symbolic link for its key or lock is refused', () => {
    const data = folder()
    for (const name of ['secret.key', 'daemon.lock']) symlinkSync(join(folder(), 'x'), join(data, name))
    expect(() => new Secrets({ folder: data }).keys.current()).toThrow('secret.key in it is a symbolic link')
    expect(() => lockFolder(data, 0)).toThrow('daemon.lock in it is a symbolic link')
  })

  it.runIf(isRoot)('of another user gets no files owned by root', async () => {
    const data = folder()
    chownSync(data, NOBODY, NOBODY)
    await expect(openLedger({ file: join(data, 'ledger.db') })).rejects.toThrow(`sudo -u '#${NOBODY}'`)
    expect(isThere(join(data, 'ledger.db'))).toBe(false)
  })

  it('that may not be read is an error, not an empty one', async () => {
    const closed = folder()
    const data = join(closed, 'state')
    mkdirSync(data)
    // Loaded before, because that user may not read our own files.
    await runCommand(['status'], { cwd: folder() })
    chmodSync(closed, isRoot ? 0o700 : 0)
    if (isRoot) process.seteuid?.(NOBODY)
    const { code, stdout, stderr } = await runCommand(['status', '--data', data], {
      cwd: '/',
      env: { HOME: closed },
    })
    if (isRoot) process.seteuid?.(0)
    chmodSync(closed, 0o700)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('permission denied')
  })
})
