import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/cli/terminal.ts'
import { SurfaceStub } from '../../../test/notice/stub.ts'
import { LEDGER_NAME } from '../../ledger/location.ts'
import { openLedger } from '../../ledger/sqlite/sqlite-ledger.ts'

let data: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'mulligan-inbox-'))
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

/** Operations of a session that expired. */
async function expired(session: string | undefined, count = 1): Promise<void> {
  const ledger = await openLedger({ file: join(data, LEDGER_NAME) })
  await ledger.transaction(writes => {
    for (let each = 0; each < count; each++) {
      const [made] = writes.insert([
        { capability: 'deploy', params: {}, ...(session === undefined ? {} : { session }) },
      ])
      writes.park(made?.id as string, { for: 'label', reason: 'unknown failure' })
      writes.expire(made?.id as string, 'nothing happened in time')
    }
  })
  await ledger.close()
}
const run = (argv: string[], more: Parameters<typeof runCommand>[1] = {}) =>
  runCommand([...argv, '--data', data], { cwd: data, now: Date.now, ...more })
const notices = async (argv: string[]) =>
  JSON.parse((await run([...argv, '--json'])).stdout).notices as Record<string, unknown>[]

describe('mulligan inbox', () => {
  it('does not create a missing ledger', async () => {
    const { code, stdout } = await run(['inbox'])
    expect(code).toBe(0)
    expect(stdout).toContain('Nothing yet: no ledger in')
  })

  it('shows the notices of a session without a daemon', async () => {
    await expired('s1')
    expect(await notices(['inbox', '--session', 's1'])).toMatchObject([
      { event: 'dead', disposition: 'actionable', priority: 'high', session: 's1' },
      { event: 'parked', disposition: 'information' },
    ])
    expect(await notices(['inbox', '--session', 's2'])).toEqual([])
    expect(await notices(['inbox'])).toEqual([])
    const { stdout } = await run(['inbox'], { env: { MULLIGAN_SESSION: 's1' } })
    expect(stdout).toContain('deploy waited too long')
    expect(stdout).toContain('mulligan ops retry op_1')
    const workspace = await run(['inbox', '--workspace'], { env: { MULLIGAN_SESSION: 's1' } })
    expect(workspace.stdout).toBe('No notices.\n')
  })

  it('keeps actionable notices until they are read', async () => {
    await expired('s1')
    const unread = () => notices(['inbox', '--session', 's1', '--unread'])
    const [first] = await unread()
    expect((await run(['inbox', '--session', 's1', '--read', String(first?.id)])).stdout).toBe(
      '1 notice marked as read.\n',
    )
    expect(await unread()).toMatchObject([{ event: 'parked' }])
    expect((await run(['inbox', '--session', 's1', '--all', '--json'])).stdout).toBe('{"read":1}\n')
    expect(await unread()).toEqual([])
  })

  it('keeps a session with unread notices from ending', async () => {
    await expired('s1')
    const stop = (session = 's1') =>
      run(['inbox', '--stop-hook'], {
        stdin: JSON.stringify({ session_id: session, stop_hook_active: false }),
      })
    for (const { code, stdout, stderr } of [await stop(), await stop()]) {
      expect(code).toBe(2)
      expect(JSON.parse(stdout)).toEqual({ decision: 'block', reason: stderr.trimEnd() })
      expect(stderr).toContain('mulligan inbox --session s1 --read notice_')
    }
    expect(await stop('other')).toEqual({ code: 0, stdout: '', stderr: '' })
    await run(['inbox', '--session', 's1', '--all'])
    expect(await stop()).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('quotes the session for the shell in the command that it prints', async () => {
    await expired("a;b$(c)'d")
    const { stderr } = await run(['inbox', '--stop-hook', '--session', "a;b$(c)'d"])
    expect(stderr).toContain(`--session 'a;b$(c)'\\''d' --read`)
  })

  it('checks nothing without a session', async () => {
    expect(await run(['inbox', '--stop-hook'], { stdin: 'no JSON' })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('nothing is checked'),
    })
  })

  it.each([
    [['inbox', 'notice_1'], 'to mark a notice as read: --read ID'],
    [['inbox', '--read', '7'], 'such as notice_12, not "7"'],
    [['inbox', '--read', 'notice_99'], 'there is no notice_99'],
    [['inbox', '--session', 'a b'], 'without spaces'],
    [['inbox', '--session', 's', '--workspace'], 'not both'],
    [['inbox', '--all', '--stop-hook'], 'use only one of --all, --stop-hook'],
    [['notices', 'send'], 'unknown command "notices send"'],
    [['notices', 'test'], 'needs the name of a SURFACE'],
    [['notices', 'test', 'phone'], 'the config has no [[surface]]'],
  ])('names the mistake in %j', async (argv, message) => {
    await expired('s')
    const { code, stderr } = await run(argv)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})

describe('mulligan notices', () => {
  it('lists all notices', async () => {
    await expired(undefined)
    await run(['inbox'])
    const { stdout } = await run(['notices', 'ls'])
    expect(stdout).toMatch(/ high {2}deploy waited too long\n$/)
    expect(await notices(['notices', 'ls'])).toMatchObject([{ event: 'dead', deliveries: [] }])
  })

  it('test sends a message, and retries temporary failures', async () => {
    const stub = await SurfaceStub.start()
    try {
      writeFileSync(
        join(data, 'mulligan.toml'),
        `[[surface]]\nname = "phone"\nkind = "telegram"\ntoken = "env:T"\nchat = "1"\nbase_url = "${stub.url}"\n`,
      )
      stub.faults = ['500']
      const env = { T: 'a-token-of-the-test' }
      expect(await run(['notices', 'test', 'phone'], { env })).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(
          /^Sent to phone: message 1\.\nphone gets dead, .*\n {2}not: succeeded\n/,
        ),
      })
      stub.faults = ['401']
      const refused = await run(['notices', 'test', 'phone'], { env })
      expect(refused).toMatchObject({ code: 77, stdout: '' })
      expect(refused.stderr).toContain('cannot reach phone: permanent/auth')
      expect(refused.stderr).not.toContain(env.T)
      expect((await run(['notices', 'test', 'phon'], { env })).stderr).toContain('did you mean "phone"?')
      expect((await run(['notices', 'test', 'phone'])).stderr).toContain('env:T: this variable is not set')
    } finally {
      await stub.close()
    }
  })
})
