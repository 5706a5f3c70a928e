import { describe, expect, it } from 'vitest'
import { readConfig } from '../../config/read.ts'
import { capabilityProblems } from '../from-config.ts'
import { templateOf } from '../template.ts'
import { problemOfCode, problemOfVariables } from './code-injection.ts'

const of = (argv: readonly string[], stdin?: string) =>
  problemOfCode(argv.map(templateOf), stdin === undefined ? undefined : templateOf(stdin))

describe('a parameter in code', () => {
  it.each([
    [['sh', '-c', 'echo {x}']],
    [['/bin/bash', '-lc', 'echo {x}']],
    [['bash', '-euo', 'pipefail', '-c', 'echo {x}']],
    [['zsh', '-e', '-c', '{x}']],
    [['env', 'A=1', 'sh', '-c', 'echo {x}']],
    [['env', '-S', 'sh -c {x}']],
    [['sudo', '-u', 'x', 'dash', '-c', 'echo {x}']],
    [['busybox', 'sh', '-c', 'echo {x}']],
    [['docker', 'exec', 'c', 'sh', '-c', 'echo {x}']],
    [['cmd.exe', '/c', 'echo', '{x}']],
    [['powershell', '-NoProfile', '-Command', 'Get-Item', '{x}']],
    [['pwsh', '-c', '{x}']],
    [['node', '-e', 'console.log("{x}")']],
    [['node', '--import', 'tsx', '--eval={x}']],
    [['python3.12', '-c', 'print("{x}")']],
    [['perl', '-ne', 'print {x}']],
    [['ruby', '-e', '{x}']],
    [['php', '-r', '{x}']],
    [['deno', 'eval', '{x}']],
    [['awk', '/{x}/']],
    [['sed', '-e', 's/a/{x}/']],
    [['su', 'me', '-c', 'echo {x}']],
    [['ssh', 'host', 'deploy', '{x}']],
    [['watch', 'ls', '{x}']],
  ])('is found in %j', argv => {
    expect(of(argv)).toContain('{x} is part of what')
  })

  it.each([
    [['sh', '-c', 'echo "$1"', 'sh', '{x}']],
    [['python', 'deploy.py', '-c', '{x}']],
    [['node', 'build.js', '-e', '{x}']],
    [['bash', 'deploy.sh', '{x}']],
    [['awk', '-v', 'x={x}', '{{print}} x']],
    [['sed', '-f', 'script.sed', '{x}']],
    [['git', 'commit', '-m', '{x}']],
    [['npm', 'publish', '--tag={x}']],
    [['env', 'A={x}', 'true']],
  ])('is not found in %j', argv => {
    expect(of(argv)).toBeUndefined()
  })

  it('is found in what a shell reads from stdin, not in what a program does', () => {
    expect(of(['bash', '-s'], 'rm {x}')).toContain('{x} is part of what bash')
    expect(of(['python3', '-'], '{x}')).toContain('python')
    expect(of(['bash', 'script.sh'], '{x}')).toBeUndefined()
    expect(of(['cat'], '{x}')).toBeUndefined()
  })

  it('is found in a variable that decides what is run', () => {
    expect(problemOfVariables([['LD_PRELOAD', templateOf('{x}')]])).toContain('LD_PRELOAD')
    expect(problemOfVariables([['NODE_OPTIONS', templateOf('--import={x}')]])).toContain('NODE_OPTIONS')
    expect(problemOfVariables([['TOKEN', templateOf('{x}')]])).toBeUndefined()
  })

  it('is refused by config check, with its place', async () => {
    const loaded = readConfig(
      '[[capability]]\nname = "x"\nargv = ["sh", "-c", "echo {p}"]\nparams = { p = {} }\n[[capability]]\nname = "y"\nargv = ["true"]\nretry = "verify_first"\nparams = { p = {} }\nverify = { argv = ["bash", "-c", "test {p}"] }\n',
      '/srv/mulligan.toml',
    )
    expect(await capabilityProblems(loaded, '/srv')).toMatchObject([
      { line: 2, message: expect.stringContaining('{p} is part of what sh would run as code') },
      { line: 6, message: expect.stringContaining('{p} is part of what bash would run as code') },
    ])
  })
})
