import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, it } from 'vitest'
import { runCommand } from '../../../test/cli/terminal.ts'
import { CHANGING, changeIn, SHOWING } from '../runtime/changing.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'mulligan-audit-'))
  writeFileSync(join(cwd, 'mulligan.toml'), '[queue]\ndata = "data"\n')
})
const run = (...argv: string[]) =>
  runCommand(argv, { cwd, env: { MULLIGAN_CONFIG: join(cwd, 'mulligan.toml') } })

it('names the user of each command that changed something, newest first', async () => {
  await run('queue', 'pause')
  await run('status')
  await run('ops', 'cancel', 'op_99')
  await run('queue', 'resume')
  const { changes } = JSON.parse((await run('audit', '--json')).stdout)
  expect(changes.map(({ action }: { action: string }) => action)).toEqual(['queue resume', 'queue pause'])
  expect(changes[0].by).toContain(userInfo().username)
  expect((await run('audit')).stdout).toMatch(/WHEN +WHO +WHAT/)
})

it('names who marked an operation as done and a notice as read', async () => {
  expect(changeIn(['ops', 'done', 'op_1', '--result', '1'])).toEqual({ action: 'ops done', subject: 'op_1' })
  expect(changeIn(['inbox', '--read', 'notice_1'])).toEqual({ action: 'inbox --read', subject: 'notice_1' })
  expect(changeIn(['inbox', '--read=notice_1', '--session', 's'])).toMatchObject({ action: 'inbox --read' })
  expect(changeIn(['inbox', '--all'])).toEqual({ action: 'inbox --all' })
  expect(changeIn(['inbox', '--unread'])).toBeUndefined()
  expect(changeIn(['ops', 'ls', '--capability', 'retry'])).toBeUndefined()
  expect(changeIn(['ops', '--data', '/x', 'done', 'op_1'])).toMatchObject({ action: 'ops done' })
  await run('queue', 'pause')
  await run('inbox', '--all')
  const { changes } = JSON.parse((await run('audit', '--json')).stdout)
  expect(changes[0]).toMatchObject({
    action: 'inbox --all',
    by: expect.stringContaining(userInfo().username),
  })
})

it.each(Object.keys(CHANGING).filter(command => CHANGING[command] !== 'always' && command !== 'inbox'))(
  'forgets no subcommand of %s',
  async command => {
    const { stdout } = await run(command, '--help')
    const [, names = ''] = /^Usage: mulligan \w+ ([\w|]+)/.exec(stdout) ?? []
    const unlisted = names
      .split('|')
      .filter(name => !SHOWING.includes(name) && !CHANGING[command]?.includes(name))
    expect(names).not.toBe('')
    expect(unlisted).toEqual([])
  },
)

it('records who made and revoked a token, but not the token', async () => {
  const made = await run('http', 'token', 'new', 'ci', '--scope', 'submit', '--expires', '30d')
  expect(made.stdout).toMatch(/^mlg_[\w-]{43}\n$/)
  expect((await run('http', 'token', 'ls')).stdout).toMatch(/ci +submit/)
  await run('http', 'token', 'revoke', 'ci')
  const { stdout } = await run('audit')
  expect(stdout).toContain('http token new ci (submit)')
  expect(stdout).toContain('http token revoke ci')
  expect(stdout).not.toContain(made.stdout.trim())
})

it('records what was trusted, restored and moved', async () => {
  writeFileSync(
    join(cwd, 'mulligan.toml'),
    '[queue]\ndata = "data"\n[[capability]]\nname = "work"\nargv = ["true"]\nretry = "none"\n',
  )
  await run('submit', 'work')
  await run('config', 'trust', 'mulligan.toml')
  await run('config', 'distrust', 'mulligan.toml')
  await run('backup', 'copy')
  expect((await run('restore', 'copy', '--data', 'again')).code).toBe(0)
  expect((await run('migrate', '--to', 'moved', '--data', 'again')).code).toBe(0)
  const { changes } = JSON.parse((await run('audit', '--json', '--data', 'moved')).stdout)
  expect(
    changes.map(({ action, subject }: { action: string; subject: string }) => [action, subject]),
  ).toEqual([
    ['migrate', expect.stringContaining('again')],
    ['restore', expect.stringMatching(/copy$/)],
    ['config distrust', expect.stringMatching(/mulligan\.toml$/)],
    ['config trust', expect.stringMatching(/mulligan\.toml$/)],
  ])
})

it('shows the others beside a damaged record, in lists with a time that is none', async () => {
  await run('queue', 'pause')
  await run('queue', 'resume')
  writeFileSync(
    join(cwd, 'mulligan.toml'),
    '[queue]\ndata = "data"\n[[capability]]\nname = "work"\nargv = ["true"]\nretry = "none"\n',
  )
  await run('submit', 'work')
  const db = new DatabaseSync(join(cwd, 'data', 'ledger.db'))
  db.exec(`UPDATE events SET data = '{', at = 9000000000000000 WHERE id = (SELECT min(id) FROM events WHERE type = 'changed');
    UPDATE operations SET created_at = 9000000000000000, due_at = 9000000000000000`)
  db.close()
  const { stdout, code } = await run('audit')
  expect(code).toBe(0)
  expect(stdout).toContain('queue resume')
  expect(stdout).toMatch(/unknown +unreadable/)
  for (const argv of [['ops', 'ls'], ['status'], ['ops', 'show', 'op_5'], ['ops', 'ls', '--json']])
    expect((await run(...argv)).stderr, argv.join(' ')).not.toContain('Invalid time')
  expect((await run('ledger', 'check')).stdout).toContain('numbers_can_be_ours')
})

it.each([
  [['http', 'token', 'new'], 'http token new needs a NAME'],
  [['http', 'token', 'new', 'a b'], "a token's name has letters"],
  [['http', 'token', 'new', 'ci', '--scope', 'root'], '--scope must be one of read, submit, operate, admin'],
  [['http', 'token', 'new', 'ci', '--expires', 'soon'], '--expires must be a duration such as 30d'],
  [['http', 'token', 'revoke', 'nobody'], 'there is no token named "nobody"'],
  [['http', 'token', 'make'], 'unknown command "http token make"'],
  [['http', 'url', '--scope', 'read'], '--scope and --expires go with http token new'],
  [['audit', '--limit', '0'], '--limit must be a whole number from 1'],
])('refuses %j', async (argv, message) => {
  const { code, stderr } = await run(...argv)
  expect(code).not.toBe(0)
  expect(stderr).toContain(message)
})

it('knows the commands that change something', () => {
  expect(changeIn(['ops', '--json', 'retry', 'op_1'])).toEqual({ action: 'ops retry', subject: 'op_1' })
  expect(changeIn(['ops', 'ls'])).toBeUndefined()
  // What only shows what it would change.
  expect(changeIn(['ops', 'retry', '--state', 'dead'])).toBeUndefined()
  expect(changeIn(['ops', 'retry', '--state', 'dead', '--yes'])).toEqual({
    action: 'ops retry',
    subject: '--state dead',
  })
  expect(changeIn(['unknowns', 'label', 'fp2:1', 'transient'], false)).toBeUndefined()
  expect(changeIn(['unknowns', 'label', 'fp2:1', 'transient'])).toMatchObject({ subject: 'fp2:1' })
  expect(changeIn(['providers', 'pause', 'claude', '--reason', 'the bill\nAPI_KEY=hunter2hunter2'])).toEqual({
    action: 'providers pause',
    subject: 'claude',
    reason: 'the bill API_KEY=***REDACTED***',
  })
  expect(changeIn(['prune'])).toEqual({ action: 'prune' })
  expect(Object.keys(CHANGING)).not.toContain('status')
})
