import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/cli/terminal.ts'
import { checkDisk } from '../../daemon/checkup/disk.ts'
import type { DaemonFinding } from '../../daemon/checkup/finding.ts'
import { ledgerLockOf } from '../../daemon/checkup/ledger-lock.ts'
import { checkLedgerLock } from '../../daemon/checkup/lock.ts'
import { type DaemonLock, lockFolder, lookAtLock } from '../../daemon/lock.ts'
import { DatabaseSync } from '../../ledger/sqlite/node-sqlite.ts'
import { openLedger } from '../../ledger/sqlite/sqlite-ledger.ts'

let cwd: string
let data: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'mulligan-doctor-'))
  data = join(cwd, 'data')
})
afterEach(() => rmSync(cwd, { recursive: true, force: true }))

const doctor = async (...argv: string[]) => {
  const env = { TELEGRAM_TOKEN: '1234:secret-of-the-bot', PATH: '/bin:/usr/bin' }
  const ran = await runCommand(['doctor', '--daemon', '--data', data, ...argv], { cwd, env, now: 50_000 })
  return { ...ran, checks: () => JSON.parse(ran.stdout).checks as DaemonFinding[] }
}
const found = async (part: DaemonFinding['part']) =>
  (await doctor('--json')).checks().filter(check => check.part === part)

describe('the lock', () => {
  let lock: DaemonLock | undefined
  afterEach(() => {
    if (lock?.held) lock.release()
    lock = undefined
  })

  it('is free after a daemon that stopped, and no daemon is trouble', async () => {
    lock = lockFolder(data, 1_000)
    if (lock.held) lock.release()
    lock = undefined
    expect(lookAtLock(data)).toEqual({ state: 'free' })
    const { code, stdout } = await doctor()
    expect(code).toBe(1)
    expect(stdout).toMatch(/^daemon +TROUBLE +no daemon runs on .*\n +start it: mulligan serve/m)
    expect(stdout).toMatch(/^lock +ok +free$/m)
  })

  it('is held by a daemon that runs', async () => {
    lock = lockFolder(data, 1_000)
    expect(await found('lock')).toEqual([
      { part: 'lock', state: 'ok', message: expect.stringContaining(`process ${process.pid} has had it`) },
    ])
    expect(await found('daemon')).toMatchObject([{ state: 'not_checked' }])
    expect((await doctor()).code).toBe(0)
  })

  it('is stale after a daemon that was killed, and so is the address it left', async () => {
    leaveBehind({ pid: 4_194_300, host: hostname() })
    writeFileSync(join(data, 'http.json'), '{"url":"http://127.0.0.1:1","pid":4194300}', { mode: 0o600 })
    expect(await found('lock')).toMatchObject([
      {
        state: 'trouble',
        message: expect.stringContaining('stale: process 4194300'),
        fix: expect.any(String),
      },
      { state: 'trouble', message: expect.stringContaining('http.json has the address of process 4194300') },
    ])
    expect((await doctor()).code).toBe(1)
  })

  it('that a living process lost was replaced under it', async () => {
    leaveBehind({ pid: process.pid, host: hostname() })
    expect(await found('lock')).toMatchObject([
      { state: 'trouble', message: expect.stringContaining('a second daemon could start') },
    ])
  })

  it('of another host says nothing about a process here', async () => {
    leaveBehind({ pid: process.pid, host: 'elsewhere' })
    expect(await found('lock')).toMatchObject([{ message: expect.stringContaining('on elsewhere') }])
  })

  const leaveBehind = ({ pid, host }: { pid: number; host: string }) => {
    const taken = lockFolder(data, 1_000)
    if (taken.held) taken.release()
    const db = new DatabaseSync(join(data, 'daemon.lock'))
    db.prepare('INSERT INTO holder VALUES (1, ?, ?, ?)').run(pid, host, 1_000)
    db.close()
  }
})

describe('the ledger', () => {
  it('is writable, unless somebody keeps it locked', async () => {
    const ledger = await openLedger({ file: join(data, 'ledger.db') })
    await ledger.close()
    expect(await found('ledger')).toMatchObject([{ state: 'ok' }])
    const holder = new DatabaseSync(join(data, 'ledger.db'))
    holder.exec('BEGIN IMMEDIATE')
    const holders = ledgerLockOf(data, 0)
    holder.close()
    expect(holders).toEqual([])
    expect(checkLedgerLock(data, [17, 18])).toMatchObject({
      state: 'trouble',
      message: expect.stringContaining('process 17 and 18 has kept'),
    })
  })
})

describe('the disk', () => {
  const free = (freeBytes: number, freeFiles?: number) => () => ({ freeBytes, freeFiles })

  it('is full below the stated threshold, in bytes or files', () => {
    expect(checkDisk(cwd, free(256_000_000))).toMatchObject({ state: 'ok' })
    expect(checkDisk(cwd, free(255_999_999))).toMatchObject({
      state: 'trouble',
      message: `only 256 MB free at ${cwd}; at least 256 MB should be`,
      fix: expect.stringContaining('mulligan ledger prune'),
    })
    expect(checkDisk(cwd, free(1e12, 3))).toMatchObject({
      state: 'trouble',
      message: `only 3 more files fit on the disk of ${cwd}`,
    })
  })

  it('is that of the nearest folder if there is no data folder yet', () => {
    expect(checkDisk(join(cwd, 'not', 'yet'))).toMatchObject({
      message: expect.stringMatching(`free at ${cwd}$`),
    })
  })
})

describe('a surface', () => {
  let server: Server | undefined
  afterEach(() => server?.close())

  const answering = async (status: number) => {
    const asked: string[] = []
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      response.writeHead(status).end('{"ok":true,"result":{}}')
    })
    await new Promise<void>(resolve => server?.listen(0, '127.0.0.1', resolve))
    return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }
  const configure = (url: string) =>
    writeFileSync(
      join(cwd, 'mulligan.toml'),
      `[[surface]]\nname = "phone"\nkind = "telegram"\ntoken = "env:TELEGRAM_TOKEN"\nchat = "7"\nbase_url = "${url}"\n
[[surface]]\nname = "hook"\nkind = "webhook"\nurl = "${url}/hook"\n`,
    )

  it('is asked, and gets no message', async () => {
    const { asked, url } = await answering(200)
    configure(url)
    expect(await found('surface')).toMatchObject([
      { state: 'ok', message: 'phone (telegram) answers' },
      { state: 'ok', message: 'hook (webhook) answers; not checked: that it takes messages' },
    ])
    expect(asked.toSorted()).toEqual(['HEAD /hook', 'POST /bot1234:secret-of-the-bot/getChat'])
  })

  it('that refuses or is gone is trouble, and no secret is shown', async () => {
    const { url } = await answering(404)
    configure(url)
    const refused = await doctor()
    expect(refused.code).toBe(1)
    expect(refused.stdout).toMatch(/^surface +TROUBLE +phone \(telegram\) cannot be reached: .*404/m)
    server?.close()
    server = undefined
    const gone = await doctor()
    expect(gone.stdout).toMatch(/^surface +TROUBLE +hook .*ECONNREFUSED.*\n +correct \[\[surface]] hook/m)
    expect(`${refused.stdout}${gone.stdout}`).not.toContain('secret-of-the-bot')
  })

  it('whose program is not installed is trouble', async () => {
    writeFileSync(
      join(cwd, 'mulligan.toml'),
      '[[surface]]\nname = "own"\nkind = "command"\nargv = ["no-such"]\n',
    )
    expect(await found('surface')).toMatchObject([
      { state: 'trouble', message: expect.stringContaining('program no-such not found') },
    ])
  })
})

it('a broken config is one of the findings, and takes no agent', async () => {
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(join(cwd, 'mulligan.toml'), '[queue]\nlease = 5\n')
  expect(await found('config')).toMatchObject([
    { state: 'trouble', fix: expect.stringContaining('config check') },
  ])
  expect((await doctor('--provider', 'claude')).code).toBe(2)
})
