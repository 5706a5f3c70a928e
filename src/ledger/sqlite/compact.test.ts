import { execFile, execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fill, LedgerFolder, submit } from '../../../test/ledger/sqlite/ledger-folder.ts'
import { compactFile } from './compact.ts'
import type { SqliteLedger } from './sqlite-ledger.ts'

let site: LedgerFolder
let file: string
beforeEach(() => {
  site = new LedgerFolder()
  ;({ file } = site)
})
afterEach(() => site.close())

const size = () => statSync(file).size
const modeOf = (ledger: SqliteLedger) =>
  ledger.read(db => {
    // SQLite notices only when it reads what another connection did to the file.
    db.prepare('SELECT count(*) FROM operations').get()
    return db.prepare('PRAGMA auto_vacuum').get()?.auto_vacuum
  })
const insertMany = (ledger: SqliteLedger, operations: number) =>
  ledger.transaction(writes =>
    writes.insert(
      Array.from({ length: operations }, (_, n) => ({ capability: 'a', params: `${n}`.padEnd(1_000, '.') })),
    ),
  )

/** Makes the file unable to give space back automatically, like files from older versions. */
const makeOld = () => {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA auto_vacuum = NONE; VACUUM')
  db.close()
}

describe('a ledger made by an older version', () => {
  it('works unchanged, and gives space back automatically once compacted, even for connections that were open', async () => {
    await fill(await site.open(), 3_000)
    await site.shut()
    makeOld()
    const before = size()
    const [ledger, other] = [await site.open(), await site.open()]
    const [kept] = await submit(ledger, 'kept')
    await other.prune({ deadAfterMs: -1 })
    expect([modeOf(ledger), await ledger.giveBack()]).toEqual([0, 0])
    const { beforeBytes, afterBytes } = await ledger.compact()
    expect(beforeBytes).toBeGreaterThanOrEqual(before)
    expect(afterBytes).toBe(size())
    expect(size()).toBeLessThan(before / 10)
    await fill(other, 3_000)
    await other.prune({ deadAfterMs: -1 })
    expect(modeOf(other)).toBe(2)
    expect(await other.giveBack()).toBeGreaterThan(before / 2)
    expect(await ledger.get(kept?.id ?? '')).toMatchObject({ params: 'kept' })
    expect(await ledger.check()).toEqual([])
  })
})

describe('compacting', () => {
  it('is refused while a runner is alive or an operation runs, and names them', async () => {
    const ledger = await site.open()
    const other = await site.open()
    await other.advertise({ id: 'r1', capabilities: ['a'], label: 'build-7 4711' })
    await expect(ledger.compact()).rejects.toMatchObject({
      code: 'in_use',
      message: expect.stringMatching(/a runner uses .*\(build-7 4711\): stop it first/),
    })
    await other.withdraw('r1')
    const [submitted] = await submit(ledger)
    await ledger.transaction(writes => {
      writes.start(submitted?.id ?? '')
      writes.db.exec(`INSERT INTO leases VALUES (1, 1, 'me', 'a', '', ${Date.now() + 60_000}, 60000, 0)`)
    })
    await expect(ledger.compact()).rejects.toMatchObject({
      code: 'in_use',
      message: expect.stringContaining('op_1 '),
    })
  })

  it('reports progress; writes of others wait, then happen', async () => {
    const [ledger, other] = [await site.open(), await site.open()]
    await insertMany(ledger, 3_000)
    const told: { bytes: number; ofBytes: number }[] = []
    const [, [late]] = await Promise.all([
      ledger.compact({ onProgress: progress => void told.push(progress) }),
      submit(other, 'late'),
    ])
    expect(told[0]).toMatchObject({ bytes: 0 })
    expect(told.at(-1)?.bytes).toBe(told[0]?.ofBytes)
    expect(told).toEqual(told.toSorted((a, b) => a.bytes - b.bytes))
    expect(await ledger.get(late?.id ?? '')).toMatchObject({ params: 'late' })
    expect(await ledger.check()).toEqual([])
  })

  it('finishes even if its listener throws', async () => {
    const ledger = await site.open()
    const warned = new Promise<Error>(resolve => process.once('warning', resolve))
    const compacted = ledger.compact({
      onProgress: () => {
        throw new Error('no terminal')
      },
    })
    expect(await compacted).toMatchObject({ afterBytes: size() })
    expect((await warned).message).toContain('no terminal')
  })

  it('is refused if the disk has too little space, before anything is written', async () => {
    await fill(await site.open(), 500)
    await site.shut()
    const before = size()
    expect(() => compactFile(file, new DatabaseSync(':memory:'), () => 1_000_000)).toThrow(
      /temporarily needs \d+ bytes of free space, but only 1000000 are free: nothing was changed/,
    )
    expect(size()).toBe(before)
  })

  it.skipIf(!canMount())('leaves the ledger unchanged if the disk fills up half-way', async () => {
    const [ledgerAt, checkAt, compactAt] = ['./sqlite-ledger.ts', './check-file.ts', './compact.ts'].map(
      path => new URL(path, import.meta.url).href,
    )
    const program = `import { DatabaseSync } from 'node:sqlite'
      import { statfsSync, writeFileSync } from 'node:fs'
      import { openLedger } from ${JSON.stringify(ledgerAt)}
      import { checkFile } from ${JSON.stringify(checkAt)}
      import { compactFile } from ${JSON.stringify(compactAt)}
      const folder = process.env.FOLDER
      const file = folder + '/ledger.db'
      const ledger = await openLedger({ file })
      const many = Array.from({ length: 1500 }, (_, n) => ({ capability: 'a', params: String(n).padEnd(1000, '.') }))
      await ledger.transaction(writes => writes.insert(many))
      await ledger.close()
      const free = () => { const { bavail, bsize } = statfsSync(folder); return bavail * bsize }
      const again = await openLedger({ file })
      writeFileSync(folder + '/filler', Buffer.alloc(free() - 1_500_000))
      const before = free()
      let code
      try { compactFile(file, new DatabaseSync(':memory:'), () => Infinity) } catch (error) { code = error.code }
      const left = before - free()
      await again.transaction(writes => writes.insert([{ capability: 'a', params: 1 }]))
      await again.close()
      const { operations, findings } = checkFile(file)
      console.log(JSON.stringify({ code, left, operations, findings }))`
    // Three megabytes must be rewritten, but only half of that is free.
    const { stdout } = await promisify(execFile)(
      'unshare',
      [
        '-m',
        'sh',
        '-c',
        'mount -t tmpfs -o size=8m,mode=700 tmpfs "$FOLDER" && exec "$0" --input-type=module -e "$1"',
        process.execPath,
        program,
      ],
      { env: { ...process.env, FOLDER: site.folder } },
    )
    const { left, ...rest } = JSON.parse(stdout)
    expect(rest).toEqual({ code: 'full', operations: 1_501, findings: [] })
    expect(left).toBeLessThanOrEqual(0)
  })

  it.each([
    ['while it copies', 0],
    ['while it writes', 1_000_000],
  ])('leaves the ledger unchanged if its process is killed %s', async (_, logBytes) => {
    const ledger = await site.open()
    await insertMany(ledger, 15_000)
    await site.shut()
    makeOld()
    const before = size()
    for (let killed = false; !killed; ) {
      const other = site.process(`const ledger = await openLedger({ file })
        await ledger.compact({ onProgress: ({ bytes }) => { if (bytes === 0) tell('begun') } })
        tell('done')`)
      await other.heard()
      while ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) < logBytes)
        await new Promise(resolve => setImmediate(resolve))
      other.child.kill('SIGKILL')
      await other.ended
      // A process that finished before the kill has compacted the file; make it old again and retry.
      killed = await other.heard().then(
        () => false,
        () => true,
      )
      if (!killed) makeOld()
    }
    const again = await site.open()
    expect(modeOf(again)).toBe(0)
    expect((await again.counts()).total).toBe(15_000)
    expect(await again.check()).toEqual([])
    expect((await again.compact()).afterBytes).toBeLessThan(before * 1.1)
    expect(modeOf(again)).toBe(2)
    expect(await again.check()).toEqual([])
    await site.shut()
    expect(readdirSync(dirname(file))).toEqual(['ledger.db'])
  })
})

/** Whether this machine lets us mount a small file system: as root on Linux. */
function canMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
