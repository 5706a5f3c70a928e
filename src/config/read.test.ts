import { describe, expect, it } from 'vitest'
import { matchSignatures } from '../failure/signature.ts'
import { ConfigError, type Problem } from './error.ts'
import { readConfig } from './read.ts'

/** The problems of a config as `line:column message`. */
function problemsOf(text: string, options = {}): string[] {
  return rawProblemsOf(text, options).map(({ file, line, column, message }) =>
    line === undefined ? `${file} ${message}` : `${line}:${column} ${message}`,
  )
}

function rawProblemsOf(text: string, options = {}): readonly Problem[] {
  try {
    readConfig(text, 'mulligan.toml', options)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('a config', () => {
  it('works without a file: everything has its default', () => {
    const loaded = readConfig(undefined, undefined)
    expect(loaded.config.providers).toEqual([])
    expect(loaded.config.queue).toMatchObject({
      maxRetries: 5,
      maxWaitMs: 3_024_000_000,
    })
    expect(loaded.config.policy).toEqual({
      preset: 'default',
      maxRetries: 2,
      backoff: 'fullJitter',
      failover: 'last',
      override: [],
    })
    expect(loaded.values.every(({ origin }) => origin.from === 'default')).toBe(true)
  })

  it('has names in camelCase, durations in milliseconds, and user-defined names unchanged', () => {
    const { config } = readConfig(
      `[[provider]]
       id = "a"
       env = { SOME_NAME = "x" }
       pinned = { max_turns = 3 }
       caps = [{ per = "5h", usd = 1.5 }, { per = "day", requests = 10 }]
       breaker = { cooldown = "1m30s" }
       [[policy.override]]
       class = "timeout"
       backoff = "full_jitter"`,
      'mulligan.toml',
    )
    expect(config.providers[0]).toMatchObject({
      env: { SOME_NAME: 'x' },
      pinned: { max_turns: 3 },
      caps: [
        { per: 18_000_000, usd: 1.5 },
        { per: 'day', requests: 10 },
      ],
      breaker: { cooldownMs: 90_000, consecutive: 5 },
    })
    expect(config.policy.override).toEqual([{ class: 'timeout', backoff: 'fullJitter' }])
  })

  it('compiles the signatures of its providers, of both layouts', () => {
    const { config, signatures } = readConfig(
      `[[provider]]
       id = "a"
       error_signatures = { throttle = ["full up"] }
       [[providers]]
       id = "b"
       max_hour_cents = 250
       max_day_cents = 1000
       [providers.error_signatures]
       flake = ["hiccup"]`,
      'mulligan.toml',
    )
    expect(matchSignatures('FULL UP', signatures.get('a'))).toBe('throttle')
    expect(matchSignatures('a hiccup', signatures.get('b'))).toBe('flake')
    expect(config.providers[1]).toMatchObject({
      id: 'b',
      caps: [
        { per: 'hour', usd: 2.5 },
        { per: 'day', usd: 10 },
      ],
      breaker: { consecutive: 5 },
    })
  })
})

describe('where values come from', () => {
  const text =
    '[queue]\nmax_retries = 1\nconcurrency = 2\nlease = "2m"\n[[providers]]\nid = "old"\nmax_day_cents = 5\n'
  const loaded = readConfig(text, 'mulligan.toml', {
    env: {
      MULLIGAN_QUEUE_MAX_RETRIES: '7',
      MULLIGAN_QUEUE_CONCURRENCY: '3',
      MULLIGAN_CONFIG: 'x',
      OTHER: '1',
    },
    flags: { 'queue.concurrency': { flag: '--concurrency', value: 9 } },
  })

  it('flags override the environment, which overrides the file, which overrides defaults', () => {
    expect(loaded.config.queue).toMatchObject({
      concurrency: 9,
      maxRetries: 7,
      leaseMs: 120_000,
      maxSnoozes: 20,
    })
    expect(loaded.originOf('queue.concurrency')).toEqual({ from: 'flag', flag: '--concurrency' })
    expect(loaded.originOf('queue.maxRetries')).toEqual({
      from: 'environment',
      variable: 'MULLIGAN_QUEUE_MAX_RETRIES',
    })
    expect(loaded.originOf('queue.leaseMs')).toEqual({
      from: 'file',
      file: 'mulligan.toml',
      line: 4,
      column: 1,
    })
    expect(loaded.originOf('queue.maxSnoozes')).toEqual({ from: 'default' })
    expect(loaded.originOf('queue.nothing')).toBeUndefined()
  })

  it('a value of the older layout comes from where it was written', () => {
    expect(loaded.originOf('providers[0].caps[0].usd')).toMatchObject({ from: 'file', line: 7, column: 1 })
  })

  it('mistakes in the environment or a flag are reported under its name', () => {
    const env = { MULLIGAN_BUDGET_DAY_USD: 'lots', MULLIGAN_QUEUE_LEESE: '1m', MULLIGAN_QUEUE_ENABLED: 'yes' }
    const flags = { 'queue.lease': { flag: '--lease', value: 'soon' } }
    expect(problemsOf('', { env, flags })).toEqual([
      'MULLIGAN_QUEUE_LEESE there is no config key with this name; did you mean MULLIGAN_QUEUE_LEASE?',
      'MULLIGAN_BUDGET_DAY_USD budget.day_usd must be a number of US dollars above 0, not "lots"',
      'MULLIGAN_QUEUE_ENABLED queue.enabled must be true or false, not "yes"',
      '--lease queue.lease must be a duration such as "500ms", "90s", "10m", "1h30m", "7d", at least 1s, not "soon"',
    ])
  })
})

describe('mistakes', () => {
  it('are all reported at once, in the order of their places', () => {
    expect(
      problemsOf(
        `[policy]
max_retrys = 1
preset = "obans"

[[pool]]
id = "p"
providers = ["nobody"]

[bugdet]
day_usd = 1
`,
      ),
    ).toEqual([
      '2:1 unknown key "max_retrys" in policy; did you mean "max_retries"?',
      '3:1 policy.preset must be one of "default", "council", "oban", "oban_snooze", "terraphim", "work_buddy", not "obans"; did you mean "oban"?',
      '7:14 pool "p": providers[0] refers to unknown provider "nobody"; the config has no [[provider]]',
      '9:1 unknown table or key "bugdet"; did you mean "budget"?',
    ])
  })

  const provider = '[[provider]]\nid = "a"\n'
  it.each([
    ['[[provider]\n', /^1:\d+ /],
    ['[[provider]]\ncli = "claude"\n', '1:1 provider[0]: id is missing; it must be a name'],
    ['[provider]\nid = "x"\n', '1:1 provider must be an array of tables, each written as [[provider]]'],
    ['provider = ["x"]\n', '1:13 provider[0] must be a table'],
    [`${provider}[[provider]]\nid = "a"\n`, '4:1 provider "a": id "a" is defined twice'],
    [
      '[[provider]]\nid = "claude"\n[[group]]\nname = "g"\npool = "cluade"\n',
      '5:1 group "g": pool refers to unknown pool "cluade"; did you mean "claude"?',
    ],
    [`${provider}[[providers]]\nid = "a"\n`, '4:1 provider "a": id "a" is defined twice'],
    [
      `${provider}error_signature = {}\n`,
      '3:1 unknown key "error_signature" in provider "a"; did you mean "error_signatures"?',
    ],
    [
      `${provider}error_signatures = { throtle = [] }\n`,
      '3:22 unknown key "throtle" in provider "a": error_signatures; did you mean "throttle"?',
    ],
    [
      `${provider}error_signatures = { flake = ["ok",\n  "("] }\n`,
      '4:3 provider "a": error_signatures.flake[1] has an invalid pattern "(": missing closing )',
    ],
    [
      `${provider}error_signatures = { flake = "x" }\n`,
      '3:22 provider "a": error_signatures.flake must be a list',
    ],
    [`${provider}cli = "command"\n`, '1:1 provider "a" needs "command"'],
    [
      `${provider}time_zone = "Berlin"\n`,
      '3:1 provider "a": time_zone must be a time zone such as "UTC" or "Europe/Berlin", not "Berlin"',
    ],
    [`${provider}caps = [{ per = "day" }]\n`, '3:9 provider "a": caps[0] needs at least one of "usd"'],
    [
      `${provider}caps = [{ per = "day", usd = 0 }]\n`,
      '3:24 provider "a": caps[0].usd must be a number of US dollars above 0, not 0',
    ],
    [
      `${provider}caps = [{ per = "week", usd = 1 }]\n`,
      '3:11 provider "a": caps[0].per must be "hour", "day", "month", or a duration',
    ],
    [
      `${provider}[[provider.caps]]\nper = "day"\nusd = 1\n[[provider.caps]]\nper = "day"\nusd = 2\n`,
      '7:1 provider "a": caps[1].per "day" is defined twice',
    ],
    [`${provider}probe = { timeout = "5s" }\n`, '3:1 provider "a": probe needs one of "argv" or "prompt"'],
    [`${provider}probe = { argv = ["x"], prompt = "y" }\n`, 'probe.prompt conflicts with "argv"'],
    [`${provider}probe = { argv = ["x"], every = "59s" }\n`, 'probe.every must be a duration such as'],
    [
      `${provider}breaker = { rate = 1.5 }\n`,
      '3:13 provider "a": breaker.rate must be a number above 0, at most 1, not 1.5',
    ],
    [
      `${provider}[[pool]]\nid = "p"\nproviders = ["b"]\n`,
      'pool "p": providers[0] refers to unknown provider "b"',
    ],
    [
      '[[provider]]\nid = "claude"\nmodel = "opus"\n',
      '3:1 unknown key "model" in provider "claude"; write it as defaults = { model = … }',
    ],
    [
      `${provider}[[pool]]\nid = "p"\nproviders = ["a", "a"]\n`,
      '5:19 pool "p": providers[1] lists "a" twice',
    ],
    [
      `${provider}[[pool]]\nid = "p"\nproviders = ["a"]\nweights = { b = 1 }\n`,
      'pool "p": weights.b refers to unknown provider "b"',
    ],
    [
      `${provider}[[pool]]\nid = "p"\nproviders = ["a"]\nweights = { a = 1 }\nrouting = "cheapest"\n`,
      '7:1 pool "p": routing conflicts with "weights": give one of them',
    ],
    ['[[pool]]\nid = "p"\nproviders = []\n', '3:1 pool "p": providers must have at least one value'],
    [
      `${provider}[[pool]]\nid = "p"\nproviders = "a"\n`,
      'providers must be a list, written as [ … ], not "a"',
    ],
    [
      '[[policy.override]]\nclass = "timeout"\nkind = "stall"\nmax_retries = 1\n',
      'kind conflicts with "class"',
    ],
    [
      '[[policy.override]]\nkind = "stal"\n',
      '2:1 policy.override[0].kind must be a known name, not "stal"; did you mean "stall"?',
    ],
    ['[[policy.override]]\nclass = "timeout"\n', '1:1 policy.override[0] changes nothing'],
    ['[budget]\nday_usd = -1\n', '2:1 budget.day_usd must be a number of US dollars above 0, not -1'],
    [
      `${provider}[[council]]\nid = "c"\nmembers = [{ name = "x", provider = "a" }]\n`,
      '5:1 council "c": members must have at least 2 tables',
    ],
    [
      `${provider}[[council]]\nid = "c"\nquorum = 3\nmembers = [{ name = "x", provider = "a" }, { name = "y", provider = "a" }]\n`,
      '5:1 council "c": quorum must be at most 2 (the number of members), not 3',
    ],
    [
      `${provider}[[council]]\nid = "c"\nquorum = 1\nmembers = [{ name = "x", provider = "a" }, { name = "y", provider = "a" }]\n`,
      '5:1 council "c": quorum must be a whole number, 2 or more, not 1',
    ],
    [
      `[[council]]\nid = "c"\nmembers = [{ name = "x", command = ["x"] }, { name = "x" }]\n`,
      'members[1] needs one of "provider" or "command"',
    ],
    ['[queue]\ndurability = "most"\n', '2:1 queue.durability must be one of "normal", "full", not "most"'],
    ['[queue]\nretry_for = 30\n', '2:1 queue.retry_for must be a duration such as'],
    [
      '[[capability]]\nname = "x"\n',
      '1:1 capability "x" needs one of "argv" or "http" or "agent" or "module"',
    ],
    [
      '[[capability]]\nname = "x"\nargv = ["a"]\nretry = "verify_first"\n',
      '4:1 capability "x": retry needs a "verify" table',
    ],
    [
      '[[capability]]\nname = "x"\nargv = ["a"]\nverify = { argv = ["b"] }\n',
      '4:1 capability "x": verify is used only with retry = "verify_first"',
    ],
    [
      '[[capability]]\nname = "x"\nagent = { prompt = "p" }\n',
      '1:1 capability "x" needs one of "provider" or "pool"',
    ],
    [
      '[[capability]]\nname = "x"\nhttp = { url = "https://a" }\nenv = { A = "b" }\n',
      '4:1 capability "x": env needs "argv": it is only for commands',
    ],
    [
      '[[capability]]\nname = "x"\nmodule = "./a.ts"\noutput = "json"\n',
      '4:1 capability "x": output needs "argv" or "http"',
    ],
    [
      '[[capability]]\nname = "x"\nargv = ["a"]\nenv = { "A=B" = "c" }\n',
      'capability "x": env."A=B" is not a valid variable name',
    ],
    [
      '[[capability]]\nname = "x"\nargv = ["a"]\npool = "p"\n',
      '4:1 capability "x": pool refers to unknown pool "p"',
    ],
    [
      '[[capability]]\nname = "x"\nhttp = { url = "env:no-name" }\n',
      'http.url must name a variable after "env:"',
    ],
    [
      '[[providers]]\nid = "x"\nmax_hour_cents = 1.5\n',
      '3:1 provider "x": max_hour_cents must be a whole number',
    ],
    [
      '[[providers]]\nid = "x"\ncli = "claude"\n',
      '3:1 unknown key "cli" in provider "x"; use the newer layout [[provider]] for it',
    ],
    ['[[providers]]\nid = "x"\nmax_day_cent = 1\n', 'did you mean "max_day_cents"?'],
    [`${provider}env = { "A=B" = "x" }\n`, '3:9 provider "a": env."A=B" is not a valid variable name'],
    [`${provider}max_retries = 3\n`, 'it belongs in [policy] or [queue] or [[capability]]; known: id, cli'],
    [
      `${provider}[[pool]]\nid = "p"\nproviders = ["a"]\n[[capability]]\nname = "x"\npool = "p"\nagent = { prompt = "y" }\n`,
      '9:1 capability "x": agent needs providers with "cli"; provider "a" has none',
    ],
  ])('name their place and what would be right: %j', (text, expected) => {
    const problems = problemsOf(text)
    expect(problems.join('\n')).toMatch(typeof expected === 'string' ? literal(expected) : expected)
  })

  it('do not repeat a secret that landed in the wrong place', () => {
    const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz'
    const text = `[[provider]]\nid = "a"\ncredential = "${secret}"\ncli = "${secret}"\n${secret} = 1\n`
    const problems = rawProblemsOf(text)
    expect(problems).toHaveLength(3)
    expect(JSON.stringify(problems)).not.toContain(secret)
    expect(problems[0]?.message).toContain('must be "env:NAME" or "file:PATH"')
  })

  it('survive names that every object has', () => {
    expect(problemsOf('[constructor]\nx = 1\n["__proto__"]\ny = 2\n[provider]\n')).toEqual([
      expect.stringContaining('1:1 unknown table or key "constructor"'),
      expect.stringContaining('3:1 unknown table or key "__proto__"'),
      expect.stringContaining('5:1 provider must be an array of tables'),
    ])
  })
})

function literal(text: string): RegExp {
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
}
