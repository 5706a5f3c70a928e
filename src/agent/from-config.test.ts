import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLAUDE_ANSWER, Stubs } from '../../test/agent/stub.ts'
import { ConfigError } from '../config/error.ts'
import { readConfig } from '../config/read.ts'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import { agentsOf, poolsOf } from './from-config.ts'
import { healthSettings } from './health-from-config.ts'
import { planLaunch } from './launch.ts'

const CONFIG = `
[[provider]]
id = "work"
cli = "claude"
quota = "team"
credential = "env:WORK_KEY"
command = "./bin/claude"
args = ["--verbose", "env:EXTRA"]
env = { REGION = "eu", TOKEN = "env:WORK_TOKEN" }
pass_env = ["PATH"]
defaults = { max_turns = 5 }
pinned = { permission_mode = "plan" }
models = [{ id = "opus", context_window = 200000 }]
caps = [{ per = "5h", usd = 3.5 }]
time_zone = "Europe/Berlin"
concurrency = 2
stall = "90s"

[[provider]]
id = "vendor"

[[pool]]
id = "coding"
providers = ["work", "vendor"]

[budget]
day_usd = 20
`
const env = { PATH: '/usr/bin', WORK_KEY: 'k', EXTRA: '--fast', WORK_TOKEN: 't' }
const read = (text: string) => readConfig(text, '/srv/app/mulligan.toml')

describe('agents of a config', () => {
  it('have its program, arguments, options and environment', () => {
    const agents = agentsOf(read(CONFIG), env)
    expect(agents.configured.map(({ id }) => id)).toEqual(['work'])
    expect(agents.get('work')).toEqual({
      id: 'work',
      cli: 'claude',
      binary: '/srv/app/bin/claude',
      args: ['--verbose', '--fast'],
      model: 'opus',
      defaults: { maxTurns: 5 },
      pinned: { permissionMode: 'plan' },
      credentialEnv: 'WORK_KEY',
      envFrom: { EXTRA: 'EXTRA', TOKEN: 'WORK_TOKEN' },
      env: { REGION: 'eu' },
      passEnv: ['PATH'],
      stallMs: 90_000,
    })
    expect(poolsOf(read(CONFIG).config).get('coding')).toEqual(['work', 'vendor'])
  })

  it('run with the variables that the config gives them, and name a missing one', () => {
    const request = { prompt: 'x' }
    const outside = { env, cwd: '/' }
    const prepared = planLaunch(agentsOf(read(CONFIG), env).get('work'), request, outside)
    expect(prepared).toMatchObject({
      env: { PATH: '/usr/bin', REGION: 'eu', TOKEN: 't', ANTHROPIC_API_KEY: 'k' },
    })
    const { EXTRA: _extra, ...rest } = env
    const lacking = planLaunch(agentsOf(read(CONFIG), rest).get('work'), request, { env: rest, cwd: '/' })
    expect(lacking).toMatchObject({
      failure: { kind: 'config', message: expect.stringContaining('EXTRA is not set') },
    })
  })

  it('are refused, naming the provider, if an option is impossible', () => {
    const wrong = read('[[provider]]\nid = "c"\ncli = "claude"\ndefaults = { max_turn = 5 }')
    expect(() => agentsOf(wrong, {})).toThrow(ConfigError)
    expect(() => agentsOf(wrong, {})).toThrow('provider "c", defaults: option max_turn')
  })
})

describe('health of a config', () => {
  it('has its quotas, caps, models and ceilings', () => {
    const loaded = read(CONFIG)
    const settings = healthSettings(loaded, { env, cwd: '/', agents: agentsOf(loaded, env) })
    expect(settings).toMatchObject({
      providers: [
        {
          id: 'work',
          quota: 'team',
          caps: [{ per: 18_000_000, usd: 3.5 }],
          models: [{ id: 'opus', contextWindow: 200_000 }],
          timeZone: 'Europe/Berlin',
          maxConcurrent: 2,
          breaker: { consecutive: 5, cooldownMs: 30_000 },
        },
        { id: 'vendor' },
      ],
      pools: [{ id: 'coding', providers: ['work', 'vendor'] }],
      fleet: { dayUsd: 20, timeZone: 'UTC' },
    })
    const [work] = (settings.providers ?? []) as readonly { credential: () => string | undefined }[]
    expect(work?.credential()).toBe('k')
  })

  it.each<[string, string, object]>([
    ['a prompt that is answered', `out(${JSON.stringify(CLAUDE_ANSWER)})`, { outcome: 'answered' }],
    [
      'a prompt that meets a limit',
      `out(${JSON.stringify({ ...CLAUDE_ANSWER, is_error: true, api_error_status: 429, result: "You've hit your weekly limit" })}); end(1)`,
      { outcome: 'failed', failure: { class: 'throttle', kind: 'usage_limit' } },
    ],
  ])('probes with %s', async (_title, body, result) => {
    const stubs = new Stubs()
    const command = stubs.make('claude', body)
    const loaded = read(
      `[[provider]]\nid = "c"\ncli = "claude"\ncommand = "${command}"\nprobe = { prompt = "say ok" }`,
    )
    const outside = { env: { PATH: process.env.PATH }, cwd: stubs.folder }
    const health = new Health(healthSettings(loaded, { ...outside, agents: agentsOf(loaded, outside.env) }))
    expect(await health.probe('c')).toMatchObject(result)
    expect(stubs.starts('claude')[0]?.input).toBe('say ok')
  })

  it("counts a refused login against the CLI's home, until there is a new login", async () => {
    const stubs = new Stubs()
    const second = join(stubs.folder, 'second')
    mkdirSync(second)
    const loaded = read(
      `[[provider]]\nid = "one"\ncli = "claude"\n[[provider]]\nid = "two"\ncli = "claude"\nenv = { CLAUDE_CONFIG_DIR = "${second}" }`,
    )
    const env = { PATH: process.env.PATH, HOME: stubs.folder }
    const health = new Health(healthSettings(loaded, { env, cwd: '/', agents: agentsOf(loaded, env) }))
    const permit = await health.madeElsewhere('two')
    const failure = classify({ status: 401, body: 'Please run /login' }, { provider: 'two' }) as Failure
    expect(permit.standing?.(failure)).toMatchObject({ credentialKnown: true })
    permit.failed(failure, { breaker: 'none', blockUntil: 'cleared' })
    const admitting = async () => (await health.status()).filter(({ admits }) => admits).map(({ id }) => id)
    expect(await admitting()).toEqual(['one'])
    writeFileSync(join(second, '.credentials.json'), '{}')
    expect(await admitting()).toEqual(['one', 'two'])
  })

  it('says which variable a probe lacks, which counts against no provider', async () => {
    const loaded = read(`[[provider]]\nid = "c"\nprobe = { argv = ["curl", "env:ADDRESS"] }`)
    const health = new Health(healthSettings(loaded, { env: {}, cwd: '/', agents: agentsOf(loaded, {}) }))
    expect(await health.probe('c')).toMatchObject({
      outcome: 'environment',
      reason: expect.stringContaining('env:ADDRESS: this variable is not set'),
    })
  })
})

it('accepts model_provider for codex, and refuses it for others', () => {
  const codex = (more: string) => read(`[[provider]]\nid = "mine"\ncli = "codex"\n${more}\n`)
  const agent = agentsOf(codex('model_provider = "azure"\nself_retries = 1'), env).get('mine')
  expect(agent).toMatchObject({ modelProvider: 'azure' })
  const prepared = planLaunch(agent, { prompt: 'x' }, { env, cwd: '/' })
  expect('argv' in prepared && prepared.argv).toEqual(
    expect.arrayContaining(['model_provider="azure"', 'model_providers.azure.stream_max_retries=1']),
  )
  expect(() => agentsOf(codex('model_provider = "a.b=1"'), env)).toThrow(/model_provider must name an entry/)
  const claude = read('[[provider]]\nid = "claude"\nmodel_provider = "azure"\n')
  expect(() => agentsOf(claude, env)).toThrow(/model_provider is only for codex, but its cli is "claude"/)
})
