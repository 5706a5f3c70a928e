import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../../../../test/cli/terminal.ts'
import { launchd } from './launchd.ts'
import { systemd } from './systemd.ts'

/** A home with a systemctl that writes down how it was called. */
function home(systemctl = 'exit 0') {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-service-'))
  const programs = mkdtempSync(join(tmpdir(), 'mulligan-systemctl-'))
  const calls = join(folder, 'calls')
  writeFileSync(join(programs, 'systemctl'), `#!/bin/sh\necho "$@" >> '${calls}'\n${systemctl}\n`, {
    mode: 0o755,
  })
  const env = { PATH: `${programs}:/bin:/usr/bin`, XDG_CONFIG_HOME: join(folder, '.config') }
  return {
    folder,
    unit: join(folder, '.config', 'systemd', 'user', 'mulligan.service'),
    service: (...argv: string[]) => runCommand(['service', ...argv], { cwd: folder, env }),
    calls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []),
  }
}

describe.runIf(process.platform === 'linux')('mulligan service', () => {
  it('installs a unit that runs serve with the config of this folder, and removes it again', async () => {
    const { folder, unit, service, calls } = home()
    writeFileSync(join(folder, 'mulligan.toml'), '')
    expect(await service('install')).toMatchObject({ code: 0, stderr: '' })
    const text = readFileSync(unit, 'utf8')
    expect(text).toContain(`serve --config ${join(folder, 'mulligan.toml')}`)
    expect(text).toContain(`WorkingDirectory=${folder}`)
    expect(calls()).toEqual([
      '--user daemon-reload',
      '--user enable mulligan.service',
      '--user restart mulligan.service',
    ])
    expect(await service('status')).toMatchObject({ code: 0, stdout: expect.stringContaining('Running') })
    expect(await service('remove')).toMatchObject({ code: 0, stderr: '' })
    expect(existsSync(unit)).toBe(false)
    expect(calls()).toContain('--user disable --now mulligan.service')
    expect(await service('remove')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('nothing to remove'),
    })
  })

  it('changes nothing in a dry run', async () => {
    const { unit, service, calls } = home()
    const { stdout } = await service('install', '--dry-run')
    expect(stdout).toContain('[Service]')
    expect(stdout).toContain('systemctl --user restart mulligan.service')
    expect([existsSync(unit), calls()]).toEqual([false, []])
  })

  it('leaves the unit of somebody else alone', async () => {
    const { unit, service, calls } = home()
    mkdirSync(dirname(unit), { recursive: true })
    writeFileSync(unit, '[Service]\nExecStart=/mine\n')
    for (const verb of ['install', 'remove'])
      expect(await service(verb)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('was not written by'),
      })
    expect(readFileSync(unit, 'utf8')).toBe('[Service]\nExecStart=/mine\n')
    expect(calls()).toEqual([])
  })

  it('says what to run where systemd cannot be reached', async () => {
    const { service } = home('echo "Failed to connect to bus" >&2; exit 1')
    const { code, stderr } = await service('install')
    expect(code).toBe(1)
    expect(stderr).toMatch(/systemd (?:does not run here|has no session of this user)/)
    expect(stderr).toContain('systemctl --user enable mulligan.service')
    expect(await service('status')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/but (?:not running|systemd does not run here)/),
    })
  })

  it('installs nothing for a config with a mistake', async () => {
    const { folder, unit, service } = home()
    writeFileSync(join(folder, 'mulligan.toml'), '[queue]\nretrys = 3\n')
    const { code, stderr } = await service('install')
    expect(code).not.toBe(0)
    expect(stderr).toContain('retrys')
    expect(existsSync(unit)).toBe(false)
  })

  it('runs as nobody else than the user you name', async () => {
    const { service } = home()
    expect((await service('install', '--system')).stderr).toContain('--system needs --user NAME')
    expect((await service('install', '--user', 'me')).stderr).toContain('--user goes with --system')
    const { stdout } = await service('install', '--system', '--user', 'agents', '--dry-run')
    expect(stdout).toContain('User=agents')
    expect(stdout).toContain('WantedBy=multi-user.target')
    // Not what belongs to whoever installs it, which that user cannot read.
    expect(stdout).toContain('WorkingDirectory=~')
    expect(stdout).toContain('EnvironmentFile=-/etc/mulligan/env')
  })
})

const ODD = '/srv/a b/50%/"q"/$HOME/back\\slash'
const SPEC = {
  argv: [process.execPath, ODD, 'serve'],
  folder: tmpdir(),
  path: '/usr/bin',
  environmentFile: '/nowhere/env',
}
const PLACE = { env: { HOME: '/home/me' }, system: false }

const analyze = '/usr/bin/systemd-analyze'
it.runIf(existsSync(analyze))('systemd finds no mistake in its units', () => {
  for (const runAs of [undefined, 'root']) {
    const { folder, ...rest } = SPEC
    const spec = runAs === undefined ? { ...rest, folder } : { ...rest, runAs }
    const file = join(mkdtempSync(join(tmpdir(), 'mulligan-unit-')), 'mulligan.service')
    writeFileSync(file, systemd(PLACE).textFor(spec))
    const said = execFileSync(analyze, ['verify', '--man=no', file], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    expect(said).toBe('')
  }
})

it('words are passed on as they are', () => {
  const unit = systemd(PLACE).textFor(SPEC)
  expect(unit).toContain('"/srv/a b/50%%/\\"q\\"/$$HOME/back\\\\slash"')
  expect(launchd(PLACE).textFor({ ...SPEC, argv: ['/a&b', '<x>'] })).toContain('<string>/a&amp;b</string>')
})
