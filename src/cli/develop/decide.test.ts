import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/cli/terminal.ts'

const now = Date.parse('2026-10-05T14:00:00Z')
const decide = (argv: string[], stdin: string) => runCommand(['decide', ...argv], { stdin, now })

/** A config in a separate folder. */
function configOf(toml: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'mulligan-')), 'mulligan.toml')
  writeFileSync(file, toml)
  return file
}

describe('mulligan decide with a config', () => {
  const decided = async (toml: string, argv: string[], stdin: string) => {
    const { stdout, stderr } = await decide(['--json', '--config', configOf(toml), ...argv], stdin)
    expect(stderr).toBe('')
    return JSON.parse(stdout).verdict
  }

  it('uses [policy], its preset and its overrides', async () => {
    expect(
      await decided('[policy]\npreset = "terraphim"\n', ['--other-provider'], '529 Overloaded'),
    ).toMatchObject({
      action: 'failover',
    })
    const override = '[[policy.override]]\nkind = "overloaded"\ntreat_as = "permanent"\n'
    expect(await decided(override, [], '529 Overloaded')).toMatchObject({ action: 'cancel', as: 'refused' })
  })

  it('uses the policy of the provider that failed', async () => {
    const toml = '[[provider]]\nid = "a"\npolicy = "terraphim"\n'
    const argv = ['--other-provider', '--provider']
    expect(await decided(toml, [...argv, 'a'], '529 Overloaded')).toMatchObject({ action: 'failover' })
    expect(await decided(toml, [...argv, 'b'], '529 Overloaded')).toMatchObject({ action: 'retry' })
  })

  it('takes limits from [policy], durable ones from [queue], and flags override both', async () => {
    const toml = '[policy]\nmax_retries = 0\n[queue]\nmax_retries = 9\nbackoff = "fixed10s"\n'
    expect(await decided(toml, [], '529 Overloaded')).toMatchObject({ action: 'cancel', as: 'exhausted' })
    expect(await decided(toml, ['--max-retries', '1'], '529 Overloaded')).toMatchObject({ action: 'retry' })
    expect(
      await decided(toml, ['--durable', '--retries', '8', '--random', '0'], '529 Overloaded'),
    ).toMatchObject({
      action: 'retry',
      delay_ms: 10_000,
    })
  })

  it('asks --policy before [policy]', async () => {
    const toml = '[policy]\npreset = "terraphim"\n'
    const argv = ['--other-provider', '--policy', 'default']
    expect(await decided(toml, argv, '529 Overloaded')).toMatchObject({ action: 'retry' })
  })

  it('reports a mistake in the config, and decides by the defaults', async () => {
    const { code, stderr } = await decide(['--config', configOf('[policy]\nmax_retrys = 1\n')], '529')
    expect(code).toBe(0)
    expect(stderr).toMatch(/broken[\s\S]*max_retrys/)
  })
})

/** A run of an agent CLI that failed with a message of its own. */
const failedRun = (stderr: string) => JSON.stringify({ exitCode: 1, signal: null, stdout: '', stderr })

describe('mulligan decide', () => {
  it('says what to do, why, by which rule, and the effect on the provider', async () => {
    const { code, stdout } = await decide([], '429 rate limit, try again in 7.5s')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^retry in 7\.5 s\n/)
    expect(stdout).toContain(
      'Because    rate_limit: the provider asked to wait until 2026-10-05T14:00:08Z; retry 1 of 2',
    )
    expect(stdout).toContain('Rule       default:throttle_stated')
    expect(stdout).toContain('Provider   blocked until 2026-10-05T14:00:07.500Z')
  })

  it('prints JSON in snake_case', async () => {
    const notice = failedRun('You have hit your usage limit, resets in 2h')
    const { stdout } = await decide(['--json', '--durable', '--provider', 'claude-code'], notice)
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: { action: 'snooze', until: '2026-10-05T16:00:00.000Z', mode: 'again' },
      health: { breaker: 'none', block_until: '2026-10-05T16:00:00.000Z', fill_windows: true },
      failure: { class: 'throttle', kind: 'usage_limit', retry_after_ms: 7_200_000 },
    })
  })

  it('takes a failure that is already classified', async () => {
    const { stdout: failure } = await runCommand(['classify', '--json'], { stdin: '529 Overloaded', now })
    const { stdout } = await decide(['--json'], failure)
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: { action: 'retry', rule: 'default:transient' },
      failure: JSON.parse(failure),
    })
  })

  it.each<[string, unknown, string]>([
    ['effect', 'weird', 'one of none, maybe, done'],
    ['message', undefined, 'a string'],
    ['retry_after_ms', 'soon', 'a number of milliseconds'],
    ['retry_after_ms', 1e300, 'a number of milliseconds'],
    ['reset_at', 'tomorrow', 'a time such as'],
  ])('names the mistake in a failure written by hand: %s', async (field, value, right) => {
    const { stdout: failure } = await runCommand(['classify', '--json'], { stdin: '529 Overloaded', now })
    const { code, stderr } = await decide([], JSON.stringify({ ...JSON.parse(failure), [field]: value }))
    expect(code).toBe(2)
    expect(stderr).toContain(`stdin: ${field} must be ${right}`)
  })

  it.each<[string[], object]>([
    [['--retries', '2'], { action: 'cancel', as: 'exhausted' }],
    [['--retries', '2', '--other-provider'], { action: 'failover' }],
    [['--retries', '2', '--max-retries', '3'], { action: 'retry' }],
    [['--remaining', '10s', '--min-retry-budget', '10s'], { action: 'cancel', as: 'expired' }],
    [['--backoff', 'fixed10s'], { action: 'retry', delay_ms: 10_000 }],
    [['--random', '0'], { action: 'retry', delay_ms: 0 }],
    [
      ['--policy', 'council', '--random', '0'],
      { action: 'retry', delay_ms: 1_000, rule: 'council:transient' },
    ],
    [['--policy', 'council', '--remaining', '30s'], { action: 'cancel' }],
  ])('takes circumstances from %j', async (flags, expected) => {
    const { stdout } = await decide(['--json', ...flags], 'Error: 529 Overloaded')
    expect(JSON.parse(stdout).verdict).toMatchObject(expected)
  })

  it('says how long a provider that has refused before is left alone', async () => {
    const blockOf = async (input: string, ...flags: string[]) =>
      JSON.parse((await decide(['--json', '--provider', 'claude-code', ...flags], input)).stdout).health
        .block_until
    const [first, third] = await Promise.all(
      ['0', '2'].map(strikes => blockOf(failedRun('Weekly limit reached'), '--strikes', strikes)),
    )
    expect(Date.parse(third) - Date.parse(first)).toBe(45 * 60_000)
    expect(await blockOf(failedRun('401 Unauthorized'), '--credential-known')).toBe('cleared')
    expect(await blockOf(failedRun('401 Unauthorized'))).not.toBe('cleared')
  })

  it('does not repeat work that may have taken effect, unless it can be resumed or verified', async () => {
    const run = JSON.stringify({ exitCode: 1, signal: null, stdout: 'half', stderr: 'Error: socket hang up' })
    const action = async (...flags: string[]) =>
      JSON.parse((await decide(['--json', ...flags], run)).stdout).verdict
    expect(await action('--retry', 'none')).toMatchObject({ action: 'cancel', as: 'unverifiable' })
    expect(await action('--retry', 'verify_first')).toMatchObject({ action: 'retry' })
  })

  it('has nothing to do without a failure', async () => {
    expect((await decide(['--json'], '{"exitCode":0,"stdout":"fine","stderr":""}')).stdout).toBe('null\n')
  })

  it.each<[string[], string, string]>([
    [['--remaining', '20'], 'x', '--remaining takes a duration such as "500ms"'],
    [['--backoff', 'adaptve'], 'x', 'did you mean adaptive?'],
    [['--policy', 'obann'], 'x', 'did you mean oban?'],
    [['--retries', '-1'], 'x', '--retries takes a whole number, 0 or more, not "-1"'],
    [['--retries=x'], 'x', '--retries takes a whole number, 0 or more, not "x"'],
    [['--random', '1'], 'x', '--random takes a number from 0 to below 1'],
    [['--available-at', 'soon'], 'x', '--available-at takes a time such as'],
    [
      [],
      '{"class":"trottle","kind":"quota","effect":"none","evidence":{},"fingerprint":"f"}',
      '"trottle" is not a failure class',
    ],
    [
      [],
      '{"class":"throttle","kind":"qota","effect":"none","evidence":{},"fingerprint":"f"}',
      '"qota" is not a failure kind',
    ],
  ])('refuses %j and names the flag', async (flags, stdin, message) => {
    const { code, stderr, stdout } = await decide(flags, stdin)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
  })
})
