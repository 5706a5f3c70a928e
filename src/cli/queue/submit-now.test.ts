import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/cli/terminal.ts'

let folder: string
let env: Record<string, string>

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mulligan-now-'))
  const file = join(folder, 'mulligan.toml')
  writeFileSync(
    file,
    `
[queue]
budget = "1s"

[[capability]]
name = "hello"
argv = ["echo", "hello {name}"]
retry = "replay"
params.name = { type = "string" }

[[capability]]
name = "limited"
argv = ["sh", "limited.sh"]
retry = "replay"

[[capability]]
name = "unsure"
argv = ["sh", "unsure.sh"]
retry = "none"

[[capability]]
name = "slow"
argv = ["sleep", "30"]
retry = "replay"
`,
  )
  writeFileSync(
    join(folder, 'limited.sh'),
    'echo "429 Too Many Requests, retry after 300 seconds" >&2; exit 1\n',
  )
  writeFileSync(join(folder, 'unsure.sh'), 'echo "connection reset by peer" >&2; exit 1\n')
  env = { HOME: folder, MULLIGAN_CONFIG: file, PATH: process.env.PATH ?? '' }
})

const submit = (...argv: string[]) => runCommand(['submit', ...argv], { cwd: folder, env, now: Date.now })

describe('mulligan submit --now', () => {
  it('prints the result of an operation that succeeds now', async () => {
    expect(await submit('hello', '--now', '--param', 'name=you')).toMatchObject({
      code: 0,
      stdout: 'hello you\n',
    })
    const { stdout } = await submit('hello', '--now', '--param', 'name=you', '--json')
    expect(JSON.parse(stdout)).toEqual({
      ok: true,
      operation_id: expect.stringMatching(/^op_\d+$/),
      result: 'hello you',
    })
  })

  it('queues an operation that cannot succeed now, and says how to follow it', async () => {
    const { code, stdout, stderr } = await submit('limited', '--now', '--session', 'me')
    expect(code).toBe(75)
    expect(stdout).toBe('op_1\n')
    expect(stderr).toContain('Not done yet: it is queued and runs again automatically at')
    expect(stderr).toContain('mulligan ops wait op_1')
    expect(JSON.parse((await submit('limited', '--now', '--json')).stdout)).toMatchObject({
      ok: false,
      queued_for_retry: true,
      operation_id: expect.stringMatching(/^op_\d+$/),
      retry_at: expect.any(String),
    })
    const { stdout: shown } = await runCommand(['ops', 'show', 'op_1', '--json'], { cwd: folder, env })
    expect(JSON.parse(shown)).toMatchObject({ state: 'scheduled', session: 'me', source: 'run' })
  })

  it('says why an operation is refused', async () => {
    const { code, stderr } = await submit('unsure', '--now')
    expect(code).toBe(75)
    expect(stderr).toContain('mulligan submit: op_1 of unsure')
    expect(stderr).toContain('unverifiable')
  })

  it('ends a try at the end of --budget', async () => {
    const { code, stdout } = await submit('slow', '--now', '--budget', '300ms')
    expect({ code, stdout }).toEqual({ code: 75, stdout: 'op_1\n' })
  })

  it.each([
    [['hello', '--now', '--param', 'nam=you'], 'nam: unknown parameter; did you mean name?'],
    [['helo', '--now'], 'unknown capability "helo"; did you mean "hello"?'],
    [['hello', '--now', '--at', '10m'], 'use --now or --at, not both'],
    [['hello', '--now', '--wait'], 'use --now or --wait, not both'],
    [['hello', '--budget', '10s'], '--budget goes with --now'],
    [['hello', '--now', '--budget', '0s'], '--budget takes a duration above 0'],
  ])('answers %j with the right usage', async (argv, told) => {
    const { code, stderr } = await submit(...argv)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(told) })
  })
})
