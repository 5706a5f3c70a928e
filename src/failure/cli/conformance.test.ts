import { describe, expect, it } from 'vitest'
import { SAMPLES } from '../../../test/failure/cli/samples.ts'
import { classify } from '../classify.ts'
import { AgentEvent } from './event.ts'
import type { AgentProfile, ProfileSample } from './profile.ts'
import { PROFILES } from './profiles.ts'
import { profileOf, profileOfEvent } from './recognise.ts'

/** What every profile must satisfy. A new one gets these tests by being listed in profiles.ts and test/failure/cli/samples.ts. */

const cases = PROFILES.map(profile => [profile.name, profile] as const)
const sampleOf = ({ name }: AgentProfile) => SAMPLES[name] as ProfileSample
const ended = ({ exitCode, stdout, stderr = '' }: ProfileSample['success']) => ({
  exitCode,
  signal: null,
  stdout,
  stderr,
})
const eventsIn = (...runs: ProfileSample['success'][]) =>
  runs
    .flatMap(({ stdout }) => stdout.split('\n'))
    .filter(line => line.startsWith('{'))
    .map(line => new AgentEvent(JSON.parse(line) as object, value => new Map(Object.entries(value))))

it('every profile has its sample, and there are no others', () => {
  expect(Object.keys(SAMPLES).toSorted()).toEqual(PROFILES.map(({ name }) => name).toSorted())
})

it('no two profiles share a name', () => {
  const names = PROFILES.flatMap(profile => profile.names)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

describe.each(cases)('the profile of %s', (name, profile) => {
  const sample = sampleOf(profile)
  const [provider] = profile.names

  it('is found by each of its names, in any spelling', () => {
    for (const known of profile.names) {
      expect(known).toMatch(/^[a-z][a-z-]*$/)
      for (const written of [known, known.toUpperCase(), known.replaceAll('-', '_'), `vendor/${known}`])
        expect(profileOf(written)?.name).toBe(name)
    }
  })

  it('reads its successful run as a success', () => {
    expect(classify(ended(sample.success), { provider })).toBeNull()
  })

  it('gives its failed run the right class and kind', () => {
    const { class: cls, kind } = sample.failure
    expect(classify(ended(sample.failure), { provider })).toMatchObject({ class: cls, kind })
  })

  it('reads session, cost and turns from its failed run', () => {
    const { sessionId, costUsd, turns } = sample.failure
    const failure = classify(ended(sample.failure), { provider })
    expect([failure?.sessionId, failure?.costUsd, failure?.turns]).toEqual([sessionId, costUsd, turns])
  })

  it('classifies its failed run without knowing the provider', () => {
    expect(classify(ended(sample.failure))).toMatchObject({ kind: sample.failure.kind })
  })

  it('shares its events with no other CLI', () => {
    const events = eventsIn(sample.success, sample.failure)
    const owners = new Set(events.map(event => profileOfEvent(event)?.name ?? name))
    expect([...owners]).toEqual(events.length === 0 ? [] : [name])
  })

  it('has patterns that keep no state between two texts', () => {
    const patterns = [
      ...Object.entries(profile.text ?? {}).filter(([field]) => field !== 'price'),
      ...Object.entries(profile.notices ?? {}),
    ].flatMap(([, value]) => value as unknown)
    for (const pattern of patterns) if (pattern instanceof RegExp) expect(pattern.flags).not.toMatch(/[gy]/)
    if (profile.text?.price) expect(profile.text.price.flags).toContain('g')
  })

  it('names a word of each text that it is recognised by', () => {
    if (!profile.text) return
    const { words } = profile.text
    expect(words.length).toBeGreaterThan(0)
    expect(words).toEqual(words.map(word => word.toLowerCase()))
  })
})
