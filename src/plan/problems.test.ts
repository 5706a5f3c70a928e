import { expect, it } from 'vitest'
import { problemsOfFields } from './field.ts'
import type { Fields, Plan, PlanStep } from './plan.ts'
import { MissingCapability, problemsOfPlan } from './problems.ts'

const step = (id: string, more: Partial<PlanStep> = {}): PlanStep => ({
  id,
  ...(more.ask === undefined ? { run: 'work' } : {}),
  after: [],
  onFail: 'abort',
  ...more,
})
const fields: Record<string, Fields> = {
  work: { n: { type: 'integer', required: false }, text: { type: 'string', required: false } },
  needy: {
    must: { type: 'boolean', required: true },
    token: { type: 'string', required: false, secret: true },
  },
}
const found = (steps: PlanStep[], params?: Plan['params']) =>
  problemsOfPlan(
    { name: 'w', steps, ...(params ? { params } : {}) },
    name => fields[name] ?? new MissingCapability(Object.keys(fields)),
  ).map(({ step, path, message }) => `${step}:${path.join('.')}: ${message}`)

it('a correct plan has no problems', () => {
  const params = { n: { type: 'integer', required: true } } as const
  expect(
    found(
      [
        step('a', { params: { n: '{params.n}', text: 'n is {params.n}' } }),
        step('b', {
          ask: 'Is it {results.a.x}?',
          answer: { ok: { type: 'boolean', required: true } },
          after: ['a'],
        }),
        step('c', {
          run: 'needy',
          params: { must: '{results.b.ok}', token: 'env:TOKEN' },
          when: 'results.b.ok',
        }),
      ],
      params,
    ),
  ).toEqual([])
})

it.each<[string, PlanStep[], string]>([
  ['the same id twice', [step('a'), step('a')], '1:id: "a" is used twice'],
  [
    'an unknown step',
    [step('build'), step('b', { after: ['biuld'] })],
    '1:after.0: unknown step "biuld"; did you mean "build"?',
  ],
  ['itself', [step('a', { after: ['a'] })], '0:after.0: names the step itself'],
  ['both kinds', [step('a', { run: 'work', ask: 'x' })], '0:ask: needs exactly one of "run" and "ask"'],
  ['an answer of a run', [step('a', { answer: {} })], '0:answer: is only for steps with "ask"'],
  [
    'an unknown capability',
    [step('a', { run: 'wrk' })],
    '0:run: names an unknown capability "wrk"; did you mean "work"?',
  ],
  [
    'an unknown parameter',
    [step('a', { params: { txt: 'x' } })],
    '0:params.txt: unknown parameter "txt" of the capability "work"; did you mean "text"?',
  ],
  [
    'a missing parameter',
    [step('a', { run: 'needy' })],
    '0:params: is missing the parameter "must" of the capability "needy"',
  ],
  [
    'a wrong type',
    [step('a', { params: { n: 'x' } })],
    '0:params.n: must be a whole number, not "x", as the capability "work" declares',
  ],
  [
    'a text for a number',
    [step('a', { params: { n: 'x{params.y}' } })],
    '0:params.n: must be a number, not text with placeholders, as the capability "work" declares',
  ],
  [
    'a placeholder of a wrong type',
    [
      step('q', { ask: '?', answer: { s: { type: 'string', required: true } } }),
      step('a', { params: { n: '{results.q.s}' } }),
    ],
    '1:params.n: must be of type integer, but results.q.s is string, as the capability "work" declares',
  ],
  [
    'a secret',
    [step('a', { run: 'needy', params: { must: true, token: 'hunter2' } })],
    '0:params.token: is a secret and must be "env:NAME", as the capability "needy" declares',
  ],
  [
    'a placeholder of an unknown step',
    [step('a', { params: { text: '{results.no.x}' } })],
    '0:params.text: uses results.no.x: unknown step "no"; known: a',
  ],
  [
    'its own result',
    [step('a', { params: { text: '{results.a}' } })],
    '0:params.text: uses results.a, the result of the step itself',
  ],
  [
    'no placeholder',
    [step('a', { params: { text: '{results}' } })],
    '0:params.text: has {results}, which is not a placeholder; write {params.NAME} or {results.STEP.NAME}, or {{results}} for the literal text',
  ],
  ['no condition', [step('a', { when: 'yes' })], '0:when: must be'],
  [
    'a condition on nothing',
    [step('a', { when: 'results.no' })],
    '0:when: uses results.no: unknown step "no"',
  ],
])('%s is found', (_what, steps, problem) => {
  expect(
    found(steps).some(each => each.startsWith(problem)),
    found(steps).join('\n'),
  ).toBe(true)
})

it('reports a cycle once, with its path, including cycles through results', () => {
  expect(
    found([
      step('a', { after: ['c'] }),
      step('b', { after: ['a'] }),
      step('c', { params: { text: '{results.b}' } }),
    ]),
  ).toEqual(['0:after: waits for itself: a after c after b after a'])
})

it('reports an undeclared parameter if any parameters are declared', () => {
  const params = { repo: { type: 'string', required: true } } as const
  expect(found([step('a', { params: { text: '{params.rep}' } })], params)).toEqual([
    '0:params.text: uses params.rep: unknown parameter "rep"; did you mean "repo"?',
  ])
  expect(found([step('a', { params: { text: '{params.rep}' } })])).toEqual([])
})

it('checks values against fields', () => {
  const ok = { ok: { type: 'boolean', required: true }, n: { type: 'number', required: false } } as const
  expect(problemsOfFields(ok, { ok: true, n: 0.5 })).toEqual([])
  expect(problemsOfFields(ok, { ok: 1, x: 1 })).toEqual([
    'ok must be true or false, not 1',
    'x is unknown; known: ok, n',
  ])
  expect(problemsOfFields(ok, {})).toEqual(['ok is missing'])
  for (const wrong of [null, [], 'x']) expect(problemsOfFields(ok, wrong)[0]).toContain('must be an object')
})
