import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../test/failure/cli/samples.ts'
import { CLIS } from './clis.ts'
import { OutputReader } from './output-reader.ts'
import { RunProgress } from './run-progress.ts'

/** What every driver reads from its profile's sample runs. A new one gets these tests by being listed in clis.ts. */

const drivers = Object.values(CLIS).flatMap(cli => {
  const sample = cli.profile && SAMPLES[cli.profile.name]
  return cli.profile && sample ? [{ name: cli.name, cli, profile: cli.profile, sample }] : []
})

it('every driver except the generic command has a profile with its name, and a sample', () => {
  expect(drivers.map(({ profile }) => profile.name)).toEqual(
    Object.keys(CLIS).filter(cli => cli !== 'command'),
  )
})

describe.each(drivers)('the driver of $name', ({ cli, sample }) => {
  function follow({ stdout, stderr = '' }: { stdout: string; stderr?: string }) {
    const progress = new RunProgress(undefined, {})
    const reader = new OutputReader(cli, progress, () => {})
    reader.push('stdout', Buffer.from(stdout))
    reader.push('stderr', Buffer.from(stderr))
    reader.end()
    return progress
  }

  it('reads the answer of a successful run, with its session, turns and cost', () => {
    const { text, sessionId, turns, costUsd } = follow(sample.success)
    expect({ text, sessionId, turns, costUsd }).toEqual({ costUsd: null, turns: null, ...sample.answer })
  })

  it('knows every event of both runs', () => {
    expect(follow(sample.success)).toMatchObject({ unknownEvents: 0, brokenLines: 0 })
    expect(follow(sample.failure)).toMatchObject({ unknownEvents: 0, brokenLines: 0 })
  })

  it('counts an event that its profile does not know as possible work', () => {
    expect(follow({ stdout: '{"type":"never_heard_of"}\n' }).unknownEvents).toBe(1)
  })

  it('tells a successful run from a failed one', () => {
    expect(follow(sample.success).end.ended).not.toBe('failed')
    expect(follow(sample.failure).hasAnswered).toBe(false)
    if (cli.profile?.endsWithEvent) expect(follow(sample.success).hasAnswered).toBe(true)
  })

  it('reads from a failed run what classify reads', () => {
    const { turns, costUsd } = follow(sample.failure)
    expect({ turns, costUsd }).toEqual({
      turns: sample.failure.turns ?? null,
      costUsd: sample.failure.costUsd ?? null,
    })
  })

  it('can be started, continued and watched', () => {
    expect(cli.argv({ given: [], resume: undefined, prompt: 'hi' }).length).toBeGreaterThan(0)
    expect(cli.argv({ given: [], resume: 'session-1', prompt: 'hi' })).toContain('session-1')
    expect(cli.takes.resume).toBeDefined()
    expect(cli.lostSession).toBeInstanceOf(RegExp)
  })
})
