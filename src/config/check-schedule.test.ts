import { describe, expect, it } from 'vitest'
import { ConfigError } from './error.ts'
import { readConfig } from './read.ts'

const CAPABILITY = `[[capability]]
name = "report"
argv = ["report", "{day}"]
[capability.params]
day = {}
count = { type = "integer", required = false }
loud = { type = "boolean", required = false }
more = { type = "json", required = false }
token = { secret = true, required = false }
`
/** Its keys begin on line 10. */
const schedule = (keys: string) => `${CAPABILITY}[[schedule]]\n${keys}`
const right = 'name = "nightly"\ncapability = "report"\ncron = "0 3 * * *"\n'

function problemsOf(text: string): string[] {
  try {
    readConfig(text, 'mulligan.toml')
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
  }
}

describe('a schedule in the config', () => {
  it('needs a name, a capability and its times, and has defaults for the rest', () => {
    const { config } = readConfig(schedule(`${right}params = { day = "monday" }\n`), 'mulligan.toml')
    expect(config.schedules).toEqual([
      {
        name: 'nightly',
        capability: 'report',
        cron: '0 3 * * *',
        timeZone: 'UTC',
        params: { day: 'monday' },
        missed: 'skip',
        overlap: 'allow',
        enabled: true,
      },
    ])
  })

  it('takes every JSON value for its parameters, and dates as their text', () => {
    const params =
      'params = { day = 2026-11-15, count = 3, loud = true, more = { a = [1.5, "x"] }, token = "env:T" }'
    const { config } = readConfig(schedule(`${right}${params}\n`), 'mulligan.toml')
    expect(config.schedules[0]?.params).toEqual({
      day: '2026-11-15',
      count: 3,
      loud: true,
      more: { a: [1.5, 'x'] },
      token: 'env:T',
    })
  })

  it.each([
    [
      'name = "a"\ncapability = "reprot"\ncron = "@daily"\n',
      '12:1 schedule "a": capability refers to unknown capability "reprot"; did you mean "report"?',
    ],
    [
      'name = "a"\ncapability = "report"\ncron = "61 * * * *"\nparams = { day = "x" }\n',
      '13:1 schedule "a": cron must be a cron expression of five fields, or six with seconds in front, such as "0 3 * * *", or a name such as "@daily", not "61 * * * *": Invalid value for minute: 61',
    ],
    [
      'name = "a"\ncapability = "report"\ncron = "0 0 30 2 *"\nparams = { day = "x" }\n',
      'not "0 0 30 2 *": this time never occurs',
    ],
    [
      `${right}params = { day = "x" }\n[[schedule]]\n${right}params = { day = "x" }\n`,
      '16:1 schedule "nightly": name "nightly" is defined twice',
    ],
    [
      `${right}time_zone = "Mars"\nparams = { day = "x" }\n`,
      '14:1 schedule "nightly": time_zone must be a time zone',
    ],
    [
      `${right}missed = "twice"\nparams = { day = "x" }\n`,
      '14:1 schedule "nightly": missed must be one of "skip", "once"',
    ],
    [right, '10:1 schedule "nightly" is missing parameter "day" of the capability "report"'],
    [
      `${right}params = { day = "x", dya = "y" }\n`,
      '14:23 schedule "nightly": params.dya is not a parameter of the capability "report"; did you mean "day"?',
    ],
    [
      `${right}params = { day = "x", count = 1.5 }\n`,
      '14:23 schedule "nightly": params.count must be a whole number, as the capability declares',
    ],
    [
      `${right}params = { day = "x", count = nan }\n`,
      '14:23 schedule "nightly": params.count must be a string, a finite number',
    ],
    [
      `${right}params = { day = "x", token = "hunter2" }\n`,
      '14:23 schedule "nightly": params.token is a secret and must be "env:NAME"',
    ],
  ])('with a mistake is reported with its place and what would be right: %j', (keys, expected) => {
    const problems = problemsOf(schedule(keys)).join('\n')
    expect(problems).toContain(expected)
    expect(problems).not.toContain('hunter2')
  })

  it('may name a capability that only a module defines', () => {
    const text =
      '[queue]\nmodules = ["./work.ts"]\n[[schedule]]\nname = "a"\ncapability = "work"\ncron = "@daily"\n'
    expect(problemsOf(text)).toEqual([])
    expect(problemsOf(text.replace('modules = ["./work.ts"]', ''))).toEqual([
      '5:1 schedule "a": capability refers to unknown capability "work"; the config has no [[capability]]',
    ])
  })
})
