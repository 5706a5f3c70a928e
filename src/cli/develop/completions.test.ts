import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCommand } from '../../../test/cli/terminal.ts'
import { COMMAND_NAMES } from '../commands.ts'

const scriptFor = async (shell: string) => (await runCommand(['completions', shell])).stdout

/** What bash offers for the last of these words. */
async function offered(...words: string[]): Promise<string[]> {
  const line = words.map(word => `'${word}'`).join(' ')
  const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _mulligan; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', `${await scriptFor('bash')}\n${ask}`], { encoding: 'utf8' })
    .trim()
    .split('\n')
}

it('bash completes every command', async () => {
  expect(await offered('mulligan', '')).toEqual(expect.arrayContaining([...COMMAND_NAMES]))
  expect(await offered('mulligan', 'comp')).toEqual(['completions'])
})

it.each([
  ['ops', ['ls', 'show', 'retry', 'cancel', 'discard', 'edit', 'watch', 'wait']],
  ['proxy', ['env', 'holds', 'release', 'refuse']],
  ['ledger', ['check', 'compact', 'backup', 'restore', 'migrate', 'prune']],
  ['http', ['token', 'url', 'code']],
])('bash completes the subcommands of %s', async (command, subcommands) => {
  expect(await offered('mulligan', command, '')).toEqual(expect.arrayContaining(subcommands))
})

it('bash completes options by the help of their command', async () => {
  expect(await offered('mulligan', 'run', '--po')).toEqual(['--pool'])
  expect(await offered('mulligan', 'ops', 'ls', '--sta')).toEqual(['--state'])
})

it.each(['bash', 'zsh', 'fish'])('%s finds no mistake in its script', async shell => {
  const script = await scriptFor(shell)
  for (const name of COMMAND_NAMES) expect(script).toContain(name)
  const program = ['/bin', '/usr/bin'].map(folder => `${folder}/${shell}`).find(file => existsSync(file))
  // As a file: fish reads no script from stdin here.
  const file = join(mkdtempSync(join(tmpdir(), 'mulligan-shell-')), `mulligan.${shell}`)
  writeFileSync(file, script)
  if (program) execFileSync(program, ['-n', file])
})

it.skipIf(!existsSync('/usr/bin/zsh'))('zsh registers the script when it is sourced', async () => {
  const asked = `autoload -Uz compinit; compinit -D\n${await scriptFor('zsh')}\nprint -r -- $_comps[mulligan]`
  expect(execFileSync('/usr/bin/zsh', ['-fc', asked], { encoding: 'utf8' })).toBe('_mulligan\n')
})

it('names the shells it knows', async () => {
  const { code, stderr } = await runCommand(['completions', 'tcsh'])
  expect(code).toBe(2)
  expect(stderr).toContain('unknown shell "tcsh"; one of: bash, zsh, fish')
})
