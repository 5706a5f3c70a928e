import { describe, expect, it } from 'vitest'
import { readConfig } from './read.ts'

const CAPABILITY = `[[capability]]
name = "build"
argv = ["make", "{target}"]
params = { target = {}, jobs = { type = "integer", required = false } }
retry = "replay"
[[workflow]]
name = "w"
`
const problemsOf = (toml: string, head = CAPABILITY): string => {
  try {
    readConfig(head + toml, 'm.toml')
    return ''
  } catch (error) {
    return (error as Error).message
  }
}
const stepLines = (...steps: string[]) => steps.map(step => `[[workflow.step]]\n${step}\n`).join('')

describe('[[workflow]]', () => {
  it('is read with its defaults', () => {
    const toml = `params = { repo = {} }
[[workflow.step]]
id = "a"
run = "build"
params = { target = "{params.repo}" }
timeout = "10m"
[[workflow.step]]
id = "b"
ask = "Ship {results.a}?"
answer = { ok = { type = "boolean" } }
optional = true
on_fail = "skip_dependents"
`
    expect(readConfig(CAPABILITY + toml, 'm.toml').config.workflows).toEqual([
      {
        name: 'w',
        params: { repo: { type: 'string', required: true } },
        step: [
          {
            id: 'a',
            run: 'build',
            after: [],
            params: { target: '{params.repo}' },
            optional: false,
            timeoutMs: 600_000,
          },
          {
            id: 'b',
            ask: 'Ship {results.a}?',
            answer: { ok: { type: 'boolean', required: true } },
            after: [],
            optional: true,
            onFail: 'skip_dependents',
          },
        ],
      },
    ])
  })

  it.each([
    [
      'a cycle',
      stepLines('id = "a"\nask = "?"\nafter = ["b"]', 'id = "b"\nask = "?"\nafter = ["a"]'),
      /m\.toml:11:\d+: .*step "a".* waits for itself: a after b after a/,
    ],
    [
      'an unknown step',
      stepLines('id = "a"\nask = "?"\nafter = ["z"]'),
      /m\.toml:11:\d+: .*unknown step "z"/,
    ],
    [
      'an unknown capability',
      stepLines('id = "a"\nrun = "biuld"'),
      /m\.toml:10:\d+: .*names an unknown capability "biuld"; did you mean "build"\?/,
    ],
    [
      'a type that does not fit',
      stepLines('id = "a"\nrun = "build"\nparams = { target = "x", jobs = "many" }'),
      /m\.toml:11:\d+: .*must be a whole number/,
    ],
    [
      'a missing parameter',
      stepLines('id = "a"\nrun = "build"'),
      /m\.toml:\d+:\d+: .*is missing the parameter "target"/,
    ],
    [
      'a wrong condition',
      stepLines('id = "a"\nask = "?"\nwhen = "maybe"'),
      /m\.toml:11:\d+: .*must be "results\.STEP\.name"/,
    ],
    ['a wrong id', stepLines('id = "1 a"\nask = "?"'), /m\.toml:9:\d+: .*must start with a letter/],
    [
      'an unknown key',
      stepLines('id = "a"\nask = "?"\nafer = ["b"]'),
      /m\.toml:11:\d+: .*did you mean "after"/,
    ],
    ['no step', '', /m\.toml:6:\d+: .*\[\[workflow\.step\]\]/],
  ])('refuses %s with step and line', (_what, toml, message) => {
    expect(problemsOf(toml)).toMatch(message)
  })

  it('does not check what only modules know', () => {
    const head = `[queue]\nmodules = ["./work.ts"]\n[[workflow]]\nname = "w"\n`
    expect(problemsOf(stepLines('id = "a"\nrun = "of-a-module"\nparams = { x = 1 }'), head)).toBe('')
  })

  it('must have a unique name', () => {
    const again = `${stepLines('id = "a"\nask = "?"')}[[workflow]]\nname = "w"\n${stepLines('id = "a"\nask = "?"')}`
    expect(problemsOf(again)).toMatch(/"w" is defined twice/)
  })
})
