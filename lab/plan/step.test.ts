import { expect, it } from 'vitest'
import { parseScript, readSteps, stepToJson } from './step.ts'

it('parses a script, and writes it back', () => {
  const script = [
    { after: 2, fault: 'overloaded' },
    { fault: 'rate_limit', times: 3, vendor: 'openai', path: '/v1/responses', in_stream: true, wait_ms: 500 },
    { fault: 'hang', times: 'always', model: 'claude-lab-1' },
  ]
  const steps = parseScript(JSON.stringify(script))
  expect(steps[1]).toMatchObject({ inStream: true, waitMs: 500 })
  expect(JSON.parse(JSON.stringify(steps.map(stepToJson)))).toEqual(script)
})

it.each([
  ['[{"fault": "overlaoded"}]', 'unknown fault "overlaoded"; did you mean "overloaded"?'],
  ['[{"fault": "auth"}, {"after": 1}]', 'step 2: fault is missing'],
  ['[{"fault": "auth", "after": -1}]', 'after must be a whole number, 0 or more, not -1'],
  ['[{"fault": "auth", "times": 0}]', 'times must be a whole number, 1 or more, or "always", not 0'],
  ['[{"fault": "auth", "vendor": "acme"}]', 'vendor must be one of anthropic, openai, gemini, not "acme"'],
  ['[{"fault": "auth", "when": 1}]', 'unknown field "when"; one of: fault, after'],
  ['[{"fault": "hang", "in_stream": true}]', 'hang cannot come inside a stream'],
  ['["auth"]', 'a step is an object such as'],
  ['{"fault": "auth"}', 'a script is a list of steps'],
  ['[', 'not JSON'],
])('says what is wrong with %s', (text, message) => {
  expect(() => parseScript(text)).toThrow(message)
})

it('accepts a single step over HTTP', () => {
  expect(readSteps({ fault: 'auth' })).toMatchObject([{ fault: 'auth' }])
})
