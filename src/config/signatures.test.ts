import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { matchSignatures } from '../failure/signature.ts'
import { discoverConfig } from './discover.ts'
import { ConfigError } from './error.ts'
import { readSignatures } from './signatures.ts'

describe('readSignatures', () => {
  it('reads [[provider]] and the older [[providers]] side by side', () => {
    const map = readSignatures(
      `[[provider]]
       id = "a"
       error_signatures = { throttle = ["rate.?limit"] }

       [[providers]]
       id = "b"
       max_hour_cents = 500
       [providers.error_signatures]
       flake = ["timed out"]

       [[provider]]
       id = "c"`,
      'mulligan.toml',
    )
    expect([...map.keys()]).toEqual(['a', 'b'])
    expect(matchSignatures('RATE LIMIT', map.get('a'))).toBe('throttle')
    expect(matchSignatures('it timed out', map.get('b'))).toBe('flake')
  })

  it.each([
    ['[[provider]\n', /mulligan\.toml:1:\d+: /],
    ['[[provider]]\nname = "x"\n', 'provider[0] needs an "id"'],
    ['[provider]\nid = "x"\n', 'written as [[provider]]'],
    ['[[provider]]\nid = "x"\nerror_signatures = ["y"]\n', 'must be a table'],
    [
      '[[provider]]\nid = "x"\nerror_signatures = { throtle = ["y"] }\n',
      'unknown key "error_signatures.throtle"; one of: throttle, flake',
    ],
    ['[[provider]]\nid = "x"\nerror_signatures = { throttle = "y" }\n', 'must be a list of patterns'],
    [
      '[[provider]]\nid = "x"\nerror_signatures = { flake = ["("] }\n',
      'provider "x": error signature "(" cannot be used: missing closing )',
    ],
    ['[[provider]]\nid = "x"\nerror_signature = { flake = ["y"] }\n', 'did you mean error_signatures?'],
    ['[[provider]]\nid = "x"\nerrors_signatures = { flake = ["y"] }\n', 'did you mean error_signatures?'],
    [
      '[[provider]]\nid = "w"\n\n[[provider]]\nid = "x"\n[provider.error_signatures]\nflake = [\n  "fine",\n  "a(b",\n]\n',
      'mulligan.toml:9: provider "x": error signature "a(b" cannot be used: missing closing ): `a(b`',
    ],
    [
      "[[provider]]\nid = 'x'\nerror_signatures = { flake = ['\\d*'] }\n",
      'mulligan.toml:3: provider "x": error signature "\\\\d*" cannot be used: it matches the empty',
    ],
    ['[[provider]]\nid = "x"\n[[providers]]\nid = "x"\n', 'provider "x" is defined twice'],
  ])('refuses %j', (text, message) => {
    const read = () => readSignatures(text, 'mulligan.toml')
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(message)
  })
})

describe('discoverConfig', () => {
  const root = mkdtempSync(join(tmpdir(), 'mulligan-'))
  mkdirSync(join(root, 'a', 'b'), { recursive: true })
  mkdirSync(join(root, 'xdg', 'mulligan'), { recursive: true })
  writeFileSync(join(root, 'a', 'mulligan.toml'), '')
  writeFileSync(join(root, 'xdg', 'mulligan', 'mulligan.toml'), '')

  it('prefers the flag, then the environment, then the nearest file upward, then the user’s', () => {
    const cwd = join(root, 'a', 'b')
    const env = { MULLIGAN_CONFIG: 'env.toml', XDG_CONFIG_HOME: join(root, 'xdg') }
    expect(discoverConfig({ flag: 'flag.toml', env, cwd })).toBe(join(cwd, 'flag.toml'))
    expect(discoverConfig({ env, cwd })).toBe(join(cwd, 'env.toml'))
    expect(discoverConfig({ env: {}, cwd })).toBe(join(root, 'a', 'mulligan.toml'))
    expect(discoverConfig({ env: { XDG_CONFIG_HOME: join(root, 'xdg') }, cwd: root })).toBe(
      join(root, 'xdg', 'mulligan', 'mulligan.toml'),
    )
    expect(discoverConfig({ env: { HOME: root }, cwd: root })).toBeUndefined()
  })
})
