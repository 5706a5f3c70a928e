import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { runCommand } from '../../test/cli/terminal.ts'

const bin = fileURLToPath(new URL('../../bin/mulligan.js', import.meta.url))

it('lists the commands, and exits with 2 if none is named', async () => {
  expect(await runCommand(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('classify') })
  expect(await runCommand([])).toMatchObject({ code: 2, stdout: expect.stringContaining('Usage') })
})

it('shows every group of commands on one screen', async () => {
  const { stdout } = await runCommand(['--help'])
  const lines = stdout.trimEnd().split('\n')
  const groups = lines.slice(3).flatMap(line => /^(\w+)/.exec(line)?.[1] ?? [])
  expect(groups).toEqual(['run', 'queue', 'people', 'operate', 'develop'])
  expect(lines.length).toBeLessThanOrEqual(38)
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80)
})

it('answers an unknown command with the nearest one', async () => {
  expect(await runCommand(['clasify'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did you mean "classify"?'),
  })
})

it('says that options follow their command', async () => {
  expect(await runCommand(['--config', 'x.toml', 'status'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('unknown option --config; options follow their command'),
  })
})

it('answers an unknown option with the nearest one', async () => {
  expect(await runCommand(['--hlep'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('unknown option --hlep; did you mean "--help"?'),
  })
  expect(await runCommand(['submit', '--hlep'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('unknown option --hlep; did you mean --help?'),
  })
  expect(await runCommand(['exec', '--retry', '3', '--', 'true'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('unknown option --retry; did you mean --retries?'),
  })
})

it('explains a command with `help COMMAND` too', async () => {
  expect(await runCommand(['help', 'submit'])).toEqual(await runCommand(['submit', '--help']))
  expect(await runCommand(['help', 'sumbit'])).toMatchObject({ code: 2 })
})

it.each(['doctor', 'tour', 'status', 'serve', 'prune'])(
  'refuses an argument that %s does not take',
  async command => {
    expect(await runCommand([command, 'extra'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('"extra"'),
    })
  },
)

it.each(['classify', 'explain', 'eval', 'run', 'exec', 'doctor', 'backup', 'ledger', 'tour'])(
  'explains the options of %s',
  async command => {
    expect(await runCommand([command, '--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(command),
    })
  },
)

it('runs as a program, and ends quietly when its reader closes the pipe', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [bin, '--version'])
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  const piped = await promisify(execFile)('sh', ['-c', `'${process.execPath}' '${bin}' tour | head -n 1`])
  expect(piped.stderr).toBe('')
})

it.runIf(existsSync('/dev/full'))('reports in one line that its output cannot be written', async () => {
  const full = promisify(execFile)('sh', ['-c', `'${process.execPath}' '${bin}' --version > /dev/full`])
  await expect(full).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^mulligan: cannot write to stdout: ENOSPC.*\n$/),
  })
})

it.runIf(existsSync('/dev/full'))('does its work even if stderr cannot be written', async () => {
  const said = promisify(execFile)('sh', ['-c', `'${process.execPath}' '${bin}' nonsense 2> /dev/full`])
  await expect(said).rejects.toMatchObject({ code: 2 })
})

it('says which folder a file could not be made in, in place of the words of the system', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'mulligan-main-'))
  const path = join(cwd, 'draft.17')
  const refused = Object.assign(new Error(`EACCES: permission denied, open '${path}'`), {
    code: 'EACCES',
    path,
  })
  const now = () => {
    throw refused
  }
  const { code, stderr } = await runCommand(['init'], { cwd, now })
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^mulligan init: cannot write in \S+mulligan-main-\w+: this user has no permission \(EACCES\)/,
  )
})
