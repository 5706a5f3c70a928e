import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareVersions, parseVersion } from './version.ts'

describe('parseVersion', () => {
  it.each([
    ['2.1.325 (Claude Code)', '2.1.325'],
    ['codex-cli 0.166.0\n', '0.166.0'],
    ['1.18.33', '1.18.33'],
    ['0.56.0-nightly.20260821', '0.56.0-nightly.20260821'],
    ['v3.0.1', '3.0.1'],
    ['latest', undefined],
    ['1.2', undefined],
    ['', undefined],
  ])('reads %j as %j', (output, version) => {
    expect(parseVersion(output)).toBe(version)
  })
})

describe('compareVersions', () => {
  const part = fc.nat(999)
  const version = fc
    .tuple(part, part, part, fc.constantFrom('', '-beta', '-rc.1', '-rc.2'))
    .map(([a, b, c, pre]) => `${a}.${b}.${c}${pre}`)

  it('orders any versions, the same both ways', () => {
    fc.assert(
      fc.property(version, version, (a, b) => {
        expect(Math.sign(compareVersions(a, b))).toBe(-Math.sign(compareVersions(b, a)) + 0)
        expect(compareVersions(a, a)).toBe(0)
      }),
    )
  })

  it('compares numbers as numbers, and puts a pre-release before its release', () => {
    const sorted = ['0.9.12', '0.10.0-rc.2', '0.10.0-rc.10', '0.10.0', '1.0.0']
    expect([...sorted].reverse().sort(compareVersions)).toEqual(sorted)
  })
})
