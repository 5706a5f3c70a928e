import { beforeEach, describe, expect, it } from 'vitest'
import { CLAUDE_ANSWER, Stubs } from '../../test/agent/stub.ts'
import { readConfig } from '../config/read.ts'
import { classify } from '../failure/classify.ts'
import { redact } from '../failure/redact.ts'
import { agentsOf } from './from-config.ts'
import { runAgent } from './run-agent.ts'

let stubs: Stubs
beforeEach(() => {
  stubs = new Stubs()
})

/** Values without a recognisable shape, so only their registration reveals them. */
const env = {
  PATH: process.env.PATH,
  FIRM_LOGIN: 'correct horse 9 battery',
  OTHER_CREDENTIAL: 'plainwords',
  CONFIG_HOME: '/srv/agents/one',
}

function agents() {
  const loaded = readConfig(
    `
[[provider]]
id = "one"
cli = "claude"
command = "${stubs.make('one', 'say(JSON.stringify({ type: "result", is_error: true, api_error_status: 401, result: "bad login " + process.env.LOGIN }))\nend(1)')}"
env = { LOGIN = "env:FIRM_LOGIN", DB_PASSWORD = "hunter22", MODE = "production", HOMEDIR = "env:CONFIG_HOME" }
[[provider]]
id = "two"
cli = "claude"
command = "${stubs.make('two', `out(${JSON.stringify({ ...CLAUDE_ANSWER })})`)}"
credential = "env:OTHER_CREDENTIAL"
`,
    '/srv/mulligan.toml',
  )
  return agentsOf(loaded, env)
}

describe("secrets of a provider's environment", () => {
  it('are hidden in what that program printed', async () => {
    const outcome = await runAgent(agents().get('one'), { prompt: 'go' }, { env, cwd: stubs.folder })
    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'auth' } })
    expect(stubs.starts('one')[0]?.env.LOGIN).toBe(env.FIRM_LOGIN)
    expect(JSON.stringify(outcome)).not.toContain(env.FIRM_LOGIN)
    expect(JSON.stringify(outcome)).toContain('***REDACTED***')
  })

  it("are hidden in another program's answer, as text and as data, in each form", async () => {
    const said = [
      env.FIRM_LOGIN,
      Buffer.from(env.FIRM_LOGIN).toString('base64'),
      encodeURIComponent(env.FIRM_LOGIN),
    ]
    const all = agents()
    stubs.make(
      'two',
      `out(${JSON.stringify({ ...CLAUDE_ANSWER, result: said.join(' and '), structured_output: { keys: said } })})`,
    )
    const outcome = await runAgent(all.get('two'), { prompt: 'go' }, { env, cwd: stubs.folder })
    expect(outcome.ok).toBe(true)
    for (const form of said) expect(JSON.stringify(outcome)).not.toContain(form)
  })

  it('are hidden in every failure of every provider, unlike ordinary paths and words', () => {
    agents()
    const failure = classify(
      new Error(`429 for ${env.FIRM_LOGIN} / hunter22 / plainwords in /srv/agents/one (production)`),
    )
    expect(failure?.message).toBe(
      '429 for ***REDACTED*** / ***REDACTED*** / ***REDACTED*** in /srv/agents/one (production)',
    )
    expect(redact('x plainwords')).toBe('x ***REDACTED***')
  })
})
