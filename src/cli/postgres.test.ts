import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { runCommand } from '../../test/cli/terminal.ts'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../test/ledger/postgres/schema.ts'
import { defineCapability } from '../capability/define.ts'
import { openQueue } from '../queue/open.ts'

describe.skipIf(!hasPostgres)(hasPostgres ? 'a config with a database' : WITHOUT_POSTGRES, () => {
  const { url, schema } = hasPostgres ? testSchema() : ({} as ReturnType<typeof testSchema>)
  let cwd: string
  let address: string
  const run = (argv: string[], more: object = {}) => runCommand(argv, { cwd, now: Date.now, ...more })

  beforeAll(() => {
    cwd = mkdtempSync(join(tmpdir(), 'mulligan-postgres-'))
    const withPassword = new URL(url)
    withPassword.password = 'topsecret'
    address = withPassword.toString()
    writeFileSync(
      join(cwd, 'mulligan.toml'),
      `[queue]\ndata = "data"\ndatabase = ${JSON.stringify(address)}\n[[capability]]\nname = "hello"\nargv = ["echo", "hello"]\nretry = "replay"\n`,
    )
  })
  afterAll(() => rmSync(cwd, { recursive: true }))

  it('creates no ledger for read-only commands, and says where it would be, without the password', async () => {
    const { stdout, stderr, code } = await run(['status'])
    expect(stdout).toContain(`, schema ${schema};`)
    expect(stdout + stderr).not.toContain('topsecret')
    expect(code).toBe(0)
    expect((await run(['config', 'show'])).stdout).not.toContain('topsecret')
  })

  it('is used by every command: submit, list, check; a library runs the operation', async () => {
    expect(await run(['submit', 'hello', '--key', 'k'])).toMatchObject({ code: 0 })
    const { stdout } = await run(['status', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ ledger: expect.stringContaining(`schema ${schema}`) })
    const hello = defineCapability({
      name: 'hello',
      retry: 'replay',
      params: z.object({}),
      run: async () => 'hi',
    })
    const queue = await openQueue({ data: join(cwd, 'data'), database: url, capabilities: [hello] })
    try {
      const runner = queue.runner()
      await runner.start()
      const { id } = await queue.submit('hello', {})
      expect(await queue.wait(id)).toMatchObject({ state: 'succeeded', result: 'hi' })
    } finally {
      await queue.close()
    }
    expect((await run(['ops', 'ls', '--json'])).stdout).toContain('"succeeded"')
    expect(await run(['ledger', 'check'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/schema \w+: 2 operations, \d+ events, valid/),
    })
  })

  it('is not contacted for an untrusted config that was only found', async () => {
    const { code, stderr } = await run(['status'], { trusts: false })
    expect(code).toBe(1)
    expect(stderr).toContain('not trusted')
  })

  it('refuses backups and compaction, and says how the server does them', async () => {
    for (const argv of [
      ['backup', join(cwd, 'copy')],
      ['ledger', 'compact'],
    ]) {
      const { code, stderr } = await run(argv)
      expect(code).toBe(1)
      expect(stderr).toMatch(/pg_dump|VACUUM FULL/)
      expect(stderr).not.toContain('topsecret')
    }
  })

  it('that cannot be reached is reported with the server and the reason', async () => {
    const { code, stderr } = await run(['status', '--database', 'postgres://ann:topsecret@127.0.0.1:1/work'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/postgres:\/\/ann@127\.0\.0\.1:1\/work, schema mulligan.*ECONNREFUSED/)
    expect(stderr).not.toContain('topsecret')
  })
})
