import { chmodSync, chownSync, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LedgerFolder, type OtherProcess, submit } from '../../../test/ledger/sqlite/ledger-folder.ts'

// Root ignores permissions: there, the other process switches to the user nobody, and file ownership decides what it
// may do. Elsewhere the owner's permission bits decide.
const isRoot = process.getuid?.() === 0
const NOBODY = 65_534

let site: LedgerFolder
beforeEach(() => {
  site = new LedgerFolder()
  chmodSync(site.folder, 0o755)
})
afterEach(async () => {
  mine()
  await site.close()
})

const filesOf = (file: string) => [file, `${file}-wal`, `${file}-shm`].filter(existsSync)

/** Who may write to the folder and to the files in it: the other process, or only root. */
function allow({ folder, files }: { folder: boolean; files: boolean }): void {
  const write = (path: string, may: boolean, readable: number) => {
    if (isRoot) chownSync(path, may ? NOBODY : 0, may ? NOBODY : 0)
    chmodSync(path, may ? readable | 0o200 : readable & ~(isRoot ? 0 : 0o222))
  }
  // From the inside out, while the folder still lets us.
  chmodSync(dirname(site.file), 0o755)
  for (const file of filesOf(site.file)) write(file, files, files ? 0o400 : 0o444)
  write(dirname(site.file), folder, folder ? 0o500 : 0o555)
}

function mine(): void {
  if (!existsSync(dirname(site.file))) return
  if (isRoot) chownSync(dirname(site.file), 0, 0)
  chmodSync(dirname(site.file), 0o700)
}

/** A process without rights, which opens, writes, reads and closes on command. */
function unprivileged(): OtherProcess {
  return site.process(`let ledger
    const verbs = {
      open: async () => { ledger = await openLedger({ file }); return 'open' },
      write: async () => {
        const [{ id }] = await ledger.transaction(writes => writes.insert([{ capability: 'a', params: 'theirs' }]))
        return id
      },
      read: async () => (await ledger.counts()).total,
      check: async () => { const { operations, findings } = checkFile(file); return { operations, findings } },
      close: async () => { await ledger.close(); return 'closed' },
    }
    if (process.getuid() === 0) { process.setgroups([]); process.setgid(${NOBODY}); process.setuid(${NOBODY}) }
    for await (const order of orders)
      tell(await verbs[order]().catch(({ name, code, message }) => ({ name, code, message })))`)
}

const refused = {
  name: 'LedgerError',
  code: 'read_only',
  message: expect.stringMatching(
    /ledger\.db: the file or its folder is not writable: check owner and permissions/,
  ),
}

describe('a ledger that a process may not write to', () => {
  it('is refused with advice, can be read while another process has it open, and works once permitted', async () => {
    const ledger = await site.open()
    await submit(ledger)
    const other = unprivileged()
    allow({ folder: false, files: false })
    expect(await other.ask('open')).toMatchObject(refused)
    expect(await other.ask('check')).toEqual({ operations: 1, findings: [] })
    expect((await ledger.counts()).total).toBe(1)

    allow({ folder: true, files: true })
    expect(await other.ask('open')).toBe('open')
    expect(await other.ask('write')).toBe('op_2')
    expect(await other.ask('read')).toBe(2)
    // Both continue with the same file.
    await submit(ledger)
    expect(await other.ask('read')).toBe(3)
    expect(await other.ask('close')).toBe('closed')
    expect(await ledger.check()).toEqual([])
  })

  it('is refused if only the folder is not writable, because the log could not be created', async () => {
    await submit(await site.open())
    await site.shut()
    const other = unprivileged()
    allow({ folder: false, files: true })
    expect(await other.ask('open')).toMatchObject(refused)
    expect(filesOf(site.file)).toEqual([site.file])
    allow({ folder: true, files: true })
    expect(await other.ask('open')).toBe('open')
    expect(await other.ask('write')).toBe('op_2')
    expect(await other.ask('close')).toBe('closed')
  })

  it('is not created in a folder that is not writable, and leaves nothing behind', async () => {
    const ledger = await site.open()
    await ledger.close()
    const other = unprivileged()
    site.forget()
    allow({ folder: false, files: false })
    expect(await other.ask('open')).toMatchObject(refused)
    expect(filesOf(site.file)).toEqual([])
  })

  it('reports lost access with the next write, and continues once access is back', async () => {
    await submit(await site.open())
    await site.shut()
    const other = unprivileged()
    allow({ folder: true, files: true })
    expect(await other.ask('open')).toBe('open')
    expect(await other.ask('write')).toBe('op_2')
    expect(await other.ask('read')).toBe(2)
    // A file that cannot be found now could not be found by the next process either.
    if (isRoot) chownSync(dirname(site.file), 0, 0)
    chmodSync(dirname(site.file), isRoot ? 0o700 : 0)
    expect(await other.ask('write')).toMatchObject({
      code: 'read_only',
      message: expect.stringContaining(site.file),
    })
    expect(await other.ask('read')).toBe(2)
    allow({ folder: true, files: true })
    expect(await other.ask('write')).toBe('op_3')
    expect(await other.ask('close')).toBe('closed')
    expect(await other.ask('check')).toEqual({ operations: 3, findings: [] })
  })
})
