import { describe, expect, it } from 'vitest'
import { Stubs } from '../../test/agent/stub.ts'
import { agentsFrom, UnknownAgent } from './agents-from.ts'

const outside = { env: {}, cwd: '/' }
const config = {
  providers: [
    { id: 'work', cli: 'claude', credentialEnv: 'KEY_OF_WORK' },
    { id: 'codex', model: 'gpt-5' },
    { id: 'an-http-vendor' },
  ],
  pools: [{ name: 'coding', providers: ['codex', 'work'] }],
}

describe('agents of a config', () => {
  it('are the providers that name a CLI or have the name of one', () => {
    expect(agentsFrom(config).configured).toEqual([
      { id: 'work', cli: 'claude', credentialEnv: 'KEY_OF_WORK' },
      { id: 'codex', cli: 'codex', model: 'gpt-5' },
    ])
    expect(() => agentsFrom({ providers: [{ id: 'x', cli: 'cloude' }] })).toThrow(
      'provider x: cli must be one of claude',
    )
  })

  it('are asked in the order of their pool', () => {
    const { agents, why } = agentsFrom(config).choose({ pool: 'coding' }, outside)
    expect(agents.map(({ id }) => id)).toEqual(['codex', 'work'])
    expect(why).toContain('pool coding')
    expect(
      agentsFrom(config)
        .choose({}, outside)
        .agents.map(({ id }) => id),
    ).toEqual(['work', 'codex'])
  })

  it('are added to every known CLI under its own name', () => {
    expect(agentsFrom(config).choose({ provider: 'gemini' }, outside).agents).toEqual([
      { id: 'gemini', cli: 'gemini' },
    ])
    expect(
      agentsFrom({})
        .choose({ pool: 'codex, claude,codex' }, outside)
        .agents.map(({ id }) => id),
    ).toEqual(['codex', 'claude'])
  })

  it('that do not exist are reported, with those that do', () => {
    expect(() => agentsFrom(config).choose({ provider: 'wrok' }, outside)).toThrow(UnknownAgent)
    expect(() => agentsFrom(config).choose({ provider: 'wrok' }, outside)).toThrow('did you mean work?')
    expect(() => agentsFrom(config).choose({ pool: 'codign' }, outside)).toThrow('pools: coding')
  })
})

it('without a config are the installed ones', () => {
  const stubs = new Stubs()
  stubs.make('gemini', '')
  stubs.make('codex', '')
  const { agents, why } = agentsFrom({}).choose({}, { env: { PATH: stubs.folder }, cwd: '/' })
  expect(agents.map(({ id }) => id)).toEqual(['codex', 'gemini'])
  expect(why).toContain('installed')
})
