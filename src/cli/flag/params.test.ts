import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/cli/terminal.ts'
import { Secrets } from '../../capability/secret/secrets.ts'
import { LEDGER_NAME } from '../../ledger/location.ts'
import { openLedger } from '../../ledger/sqlite/sqlite-ledger.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'mulligan-params-'))
  writeFileSync(
    join(cwd, 'mulligan.toml'),
    `[queue]
data = "state"
[[capability]]
name = "publish"
argv = ["true"]
retry = "none"
params = { token = { secret = true }, n = { type = "integer", required = false } }
`,
  )
})

const mulligan = (...argv: string[]) =>
  runCommand(argv, { cwd, stdin: 'from stdin\n', env: { TOKEN: 'from the environment' } })

/** The parameters of an operation as its runner gets them. */
async function opened(id: string): Promise<unknown> {
  const folder = join(cwd, 'state')
  const ledger = await openLedger({ file: join(folder, LEDGER_NAME) })
  const operation = await ledger.get(id)
  await ledger.close()
  const { capability: name = '', params } = operation ?? {}
  expect(JSON.stringify(params)).not.toContain('from')
  return new Secrets({ folder }).open({ name, secrets: ['token'] }, params, {})
}

describe('a secret of a submission', () => {
  it.each([
    [['--param-env', 'token=TOKEN'], 'from the environment'],
    [['--param-file', 'token=token.txt'], 'from a file'],
    [['--param-stdin', 'token'], 'from stdin'],
  ])('given by %j is stored encrypted', async (flags, token) => {
    writeFileSync(join(cwd, 'token.txt'), 'from a file\n')
    const { code, stdout, stderr } = await mulligan('submit', 'publish', ...flags, '--param', 'n=3')
    expect(code).toBe(0)
    expect(stderr).not.toContain('command line')
    expect(await opened(stdout.trim())).toMatchObject({ params: { token, n: 3 } })
    expect(readFileSync(join(cwd, 'state', LEDGER_NAME)).includes(token)).toBe(false)
  })

  it('is encrypted even if the capability is unknown', async () => {
    const { stdout } = await mulligan(
      'submit',
      'elsewhere',
      '--unchecked',
      '--param-stdin',
      'token',
      '--param',
      'a=1',
    )
    expect(await opened(stdout.trim())).toMatchObject({ params: { token: 'from stdin', a: 1 } })
    await mulligan('ops', 'edit', stdout.trim(), '--param-env', 'token=TOKEN')
    expect(await opened(stdout.trim())).toMatchObject({ params: { token: 'from the environment', a: 1 } })
  })

  it('on the command line causes a warning that it is visible; a reference does not', async () => {
    const { code, stderr } = await mulligan('submit', 'publish', '--param', 'token=hush')
    expect(code).toBe(0)
    expect(stderr).toContain('token: a secret on the command line is visible to every user')
    const referred = await mulligan('submit', 'publish', '--param', 'token=env:TOKEN')
    expect(referred.stderr).not.toContain('command line')
  })

  it.each([
    [['--param-env', 'token=GONE'], 'variable GONE is not set'],
    [['--param-env', 'token'], '--param-env takes NAME=VARIABLE'],
    [['--param-file', 'token=gone.txt'], 'cannot read gone.txt'],
  ])('%j is refused', async (flags, message) => {
    expect((await mulligan('submit', 'publish', ...flags)).stderr).toContain(message)
  })
})
