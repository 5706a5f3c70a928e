import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkRepository, isAfter, readArguments, releasedChangelog, withVersion } from './release.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

it('puts what is unreleased under the version, and leaves the heading for what comes', () => {
  expect(
    releasedChangelog('# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0\n', '0.2.0', '2026-11-18'),
  ).toBe('# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-11-18)\n\n- New.\n\n## 0.1.0\n')
})

it('gives a version that was settled before its release a date', () => {
  expect(
    releasedChangelog('# Changelog\n\n## 0.2.0 (unreleased)\n\n- New.\n\n## 0.1.0\n', '0.2.0', '2026-11-18'),
  ).toBe('# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-11-18)\n\n- New.\n\n## 0.1.0\n')
})

it.each([
  ['# C\n\n## Unreleased\n\n## 0.1.0\n', 'nothing under'],
  ['# C\n\n## 0.2.0 (unreleased)\n\n## 0.1.0\n\n- Old.\n', 'nothing under'],
  ['# C\n\n## Unreleased\n\n- New.\n\n## 0.2.0 (unreleased)\n\n- Newer.\n', 'two unreleased parts'],
  ['# Changelog\n', 'nothing under'],
  ['# C\n\n## Unreleased\n\n- New.\n\n## 0.2.0 (2026-01-01)\n', 'already has 0.2.0'],
])('refuses the changelog %j', (text, message) => {
  expect(() => releasedChangelog(text, '0.2.0', '2026-11-18')).toThrow(message)
})

it.each(['package.json', 'packages/core/package.json', 'package-lock.json'])(
  'sets the version of both packages in %s, and changes nothing else',
  file => {
    const { version } = JSON.parse(read('package.json'))
    expect(withVersion(read(file), version)).toBe(read(file))
    expect(withVersion(read(file), '9.9.9').match(/"9\.9\.9"/g)?.length).toBeGreaterThan(0)
    expect(withVersion(withVersion(read(file), '9.9.9'), version)).toBe(read(file))
  },
)

it('knows which version comes after another', () => {
  expect(isAfter('0.10.0', '0.9.9')).toBe(true)
  expect(isAfter('0.2.0', '0.2.0')).toBe(false)
  expect(isAfter('0.1.9', '0.2.0')).toBe(false)
})

it('releases only what names its public repository, because npm checks the provenance against it', () => {
  const named = (url: string) => JSON.stringify({ repository: { type: 'git', url } })
  checkRepository('package.json', named('git+https://github.com/someone/mulligan.git'))
  for (const text of ['{}', named(''), named('/home/me/mulligan')])
    expect(() => checkRepository('package.json', text)).toThrow('package.json needs "repository"')
})

it('takes a version and --dry-run, and refuses a misspelt option, which would release', () => {
  expect(readArguments(['0.2.0'])).toEqual({ version: '0.2.0', isDryRun: false })
  expect(readArguments(['--dry-run', '0.2.0'])).toEqual({ version: '0.2.0', isDryRun: true })
  expect(() => readArguments(['0.2.0', '--dryrun'])).toThrow('not "--dryrun"')
  expect(() => readArguments(['--dry-run'])).toThrow('name the version')
})

it('says in a dry run what would happen and what is missing, and changes nothing', () => {
  const { status, stdout } = spawnSync(process.execPath, ['scripts/release.ts', '0.0.1', '--dry-run'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(status).toBe(1)
  expect(stdout).toMatch(/^write 0\.0\.1 into package\.json, /)
  expect(stdout).toMatch(/^not yet: 0\.0\.1 does not come after /m)
  expect(JSON.parse(read('package.json')).version).not.toBe('0.0.1')
})
