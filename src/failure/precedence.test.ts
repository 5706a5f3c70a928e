import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failureOfKind } from '../testing/core/scripted-failure.ts'
import { RANKS, type Rank } from './catalogue/rank.ts'
import { classify, throttleHint } from './classify.ts'
import type { Failure } from './failure.ts'
import { KnownFailure } from './own-error.ts'
import { byPrecedence, type Candidate, KIND_ORDER } from './precedence.ts'
import { Signatures } from './signature.ts'

function ended(fields: object) {
  return { exitCode: 0, signal: null, stdout: '', stderr: '', ...fields }
}

function failureOf(...args: Parameters<typeof classify>): Failure {
  return classify(...args) as Failure
}

const LIMIT = 'HTTP 429 rate limit exceeded'

const PANICS = [
  "thread 'main' panicked at src/main.rs:10:5:\nindex out of bounds: the len is 3 but the index is 5",
  `thread 'main' panicked at 'called \`Result::unwrap()\` on an \`Err\` value: Os { kind: NotFound, message: "No such file or directory" }', src/main.rs:4`,
  "thread 'tokio-runtime-worker' (12) panicked at src/http.rs:9:9:\ninvalid configuration",
  'panic: runtime error: index out of range [5] with length 3\n\ngoroutine 1 [running]:\nmain.main()',
]

describe('our own timer', () => {
  const killed = { exitCode: null, signal: 'SIGTERM', timedOut: true }

  it('is the failure if nothing says what was waited for', () => {
    expect(failureOf(ended({ ...killed, stderr: 'working' }))).toMatchObject({
      class: 'timeout',
      kind: 'timeout',
    })
  })

  it('gives way to the limit that a program was waiting for, and is listed once among the rules that lost', () => {
    const { kind, evidence } = failureOf(ended({ ...killed, stderr: `${LIMIT}, retrying in 60 s` }))
    expect(kind).toBe('rate_limit')
    const lost = evidence.lost.map(({ rule }) => rule)
    expect(lost).toContain('own:timed_out')
    expect(lost).toContain('limit.too_many')
    expect(lost).not.toContain(evidence.rule)
    expect(new Set(lost).size).toBe(lost.length)
  })

  it('stays the failure of anything but a program', () => {
    expect(failureOf(LIMIT, { own: { timedOut: true } }).class).toBe('timeout')
  })

  it('does not give way to a vague word', () => {
    expect(failureOf(ended({ ...killed, stderr: 'error: something went wrong' })).class).toBe('timeout')
  })
})

describe('exit code 0', () => {
  it.each([
    ['a notice of an agent', "You've hit your usage limit. Try again at 5pm.", 'codex', 'usage_limit'],
    ['a notice of any program', "You've hit your usage limit. Try again at 5pm.", undefined, 'usage_limit'],
    ['a bare limit', 'rate limit exceeded', undefined, 'rate_limit'],
  ])('with nothing but %s is a failure', (_title, stdout, provider, kind) => {
    expect(failureOf(ended({ stdout }), provider === undefined ? {} : { provider }).kind).toBe(kind)
  })

  it.each([
    [
      'an answer about limits',
      'The rate limit exceeded error means that you called too often. Wait and call again.',
    ],
    ['an answer', 'I have renamed the function and all tests pass.'],
    ['nothing at all', ''],
  ])('with %s is a success', (_title, stdout) => {
    expect(classify(ended({ stdout }), { provider: 'codex' })).toBeNull()
    expect(classify(ended({ stdout }))).toBeNull()
  })
})

describe('a code bug', () => {
  const stderr = "TypeError: Cannot read properties of undefined (reading 'x')\n    at foo (cli.js:1:1)"

  it("is permanent for the user's program, and a crash for an agent CLI", () => {
    const broken = ended({ exitCode: 1, stderr })
    expect(failureOf(broken)).toMatchObject({ class: 'permanent', kind: 'code_bug' })
    expect(failureOf(broken, { provider: 'claude' })).toMatchObject({ class: 'unknown', kind: 'crash' })
  })

  it.each([
    `Traceback (most recent call last):\n  File "/srv/run.py", line 3, in <module>\n    go(x)\nNameError: name 'x' is not defined`,
    'Traceback (most recent call last):\n  File "/srv/run.py", line 9, in walk\n    return walk(x)\nRecursionError: maximum recursion depth exceeded',
    stderr,
  ])('is one for its author too if a provider is only called so: %s', said => {
    const broken = ended({ exitCode: 1, stderr: said })
    for (const provider of ['my-script', 'zai-coding-plan'])
      expect(failureOf(broken, { provider })).toMatchObject({ class: 'permanent', kind: 'code_bug' })
    expect(failureOf(broken, { provider: 'claude' })).toMatchObject({ class: 'unknown', kind: 'crash' })
  })

  it.each([
    'panic: runtime error: invalid memory address or nil pointer dereference',
    'fatal error: all goroutines are asleep - deadlock!',
    'Fatal Python error: _Py_CheckRecursiveCall: Cannot recover from stack overflow.',
    'Segmentation fault (core dumped)',
    "terminate called after throwing an instance of 'std::out_of_range'",
    '# Fatal error in , line 0\n# Check failed: node->IsInUse().\nTypeError: x is not a function',
  ])('is none where the runtime of a provider died: %s', said => {
    const died = ended({ exitCode: 134, stderr: said })
    expect(failureOf(died, { provider: 'pi-rust' })).toMatchObject({ class: 'unknown', kind: 'crash' })
  })

  it('changes no other failure of an agent CLI', () => {
    const limited = ended({ exitCode: 1, stderr: LIMIT })
    expect(failureOf(limited, { provider: 'claude' })).toMatchObject({
      class: 'throttle',
      kind: 'rate_limit',
    })
  })
})

describe('an input that nothing recognises', () => {
  it('is shown as JSON if it is plain data', () => {
    expect(failureOf({ a: 1, b: 'x' }).message).toBe('{"a":1,"b":"x"}')
  })

  it.each([
    ['an error without words', () => new Error('')],
    [
      'what answers to nothing',
      () => {
        const { proxy, revoke } = Proxy.revocable({}, {})
        revoke()
        return proxy
      },
    ],
  ])('is said to be unrecognised: %s', (_title, make) => {
    expect(failureOf(make())).toMatchObject({ kind: 'unknown', message: 'nothing recognised it' })
  })

  it("is a failed command only if the user's program exited", () => {
    expect(failureOf(ended({ exitCode: 7 })).kind).toBe('command_failed')
    expect(failureOf(ended({ exitCode: null })).kind).toBe('unknown')
    expect(failureOf(ended({ exitCode: 7 }), { provider: 'claude' }).kind).not.toBe('command_failed')
  })

  it.each(['zai-coding-plan', 'pi-rust', 'my-claude', 'kimi-for-coding'])(
    'takes %s for a provider because somebody calls it one: what it ends with is unknown, and its panic a crash',
    provider => {
      expect(failureOf(ended({ exitCode: 7, stderr: 'odd' }), { provider })).toMatchObject({
        class: 'unknown',
        kind: 'unknown',
      })
      expect(failureOf(ended({ exitCode: 125 }), { provider }).kind).toBe('unknown')
      for (const panic of PANICS)
        for (const input of [panic, ended({ exitCode: 101, stderr: panic })])
          expect(failureOf(input, { provider }), panic).toMatchObject({ class: 'unknown', kind: 'crash' })
      expect(failureOf(new TypeError('x is not a function'), { provider }).kind).toBe('code_bug')
      const limited = 'panic: rate limit exceeded (429)\n\ngoroutine 1 [running]:'
      expect(failureOf(limited, { provider }).class).toBe('throttle')
    },
  )

  it('is classified although its context cannot be read', () => {
    const context = {
      get own(): never {
        throw new Error('no')
      },
    }
    expect(failureOf(new Error('overloaded'), context).kind).toBe('overloaded')
  })
})

describe('a limit that a success hit on the way', () => {
  it('is read from stderr, a status or headers, and never from the answer', () => {
    expect(throttleHint(ended({ stdout: 'done', stderr: LIMIT }))?.kind).toBe('rate_limit')
    expect(throttleHint({ status: 429, headers: {}, body: 'slow down' })?.kind).toBe('rate_limit')
    expect(throttleHint(ended({ stdout: LIMIT }))).toBeNull()
  })

  it('does not count if it is only a vague word, or not a limit', () => {
    expect(throttleHint(ended({ stdout: 'done', stderr: 'rate limit' }))).toBeNull()
    expect(throttleHint(ended({ stdout: 'done', stderr: 'HTTP 500 internal server error' }))).toBeNull()
    expect(throttleHint(ended({ stdout: 'done' }))).toBeNull()
  })

  it("is also recognised by the operator's signatures", () => {
    const signatures = new Map([['p', new Signatures('p', { throttle: ['ticket booth closed'] })]])
    const output = ended({ stdout: 'done', stderr: 'the ticket booth closed early' })
    expect(throttleHint(output, { provider: 'p', signatures })?.kind).toBe('rate_limit')
    expect(throttleHint(output, { provider: 'q', signatures })).toBeNull()
  })
})

describe("an operator's signature", () => {
  const signatures = new Signatures('p', { throttle: ['booth closed'], flake: ['frobnicator'] })
  const signed = (message: string) => failureOf(new Error(message), { provider: 'p', signatures })

  it('fixes the class: a throttle, or transient', () => {
    expect(signed('the booth closed')).toMatchObject({ class: 'throttle', kind: 'rate_limit' })
    expect(signed('the frobnicator is out')).toMatchObject({ class: 'transient', kind: 'server_error' })
  })

  it('takes kind and times from the catalogue if it agrees on the class', () => {
    expect(signed("booth closed: You've hit your usage limit, try again in 2 hours")).toMatchObject({
      kind: 'usage_limit',
      retryAfterMs: 7_200_000,
    })
    expect(signed('frobnicator: connection reset by peer')).toMatchObject({
      class: 'transient',
      kind: 'network',
    })
  })

  it('keeps its class if the catalogue disagrees', () => {
    expect(signed('frobnicator: invalid api key')).toMatchObject({ class: 'transient', kind: 'server_error' })
  })
})

describe("the user's classifier", () => {
  const known = failureOfKind('server_error')

  it('is optional for an already classified failure', () => {
    expect(classify(new KnownFailure(known))).toBe(known)
  })

  it('cannot take back an effect that was seen', () => {
    const seen = { ...known, effect: 'maybe' as const }
    const harmless = () => ({
      class: 'transient' as const,
      kind: 'network' as const,
      effect: 'none' as const,
    })
    expect(classify(new KnownFailure(seen), { classifier: harmless as never })).toMatchObject({
      kind: 'network',
      effect: 'maybe',
    })
  })

  it('is given the provider, and only what is known', () => {
    const asked: object[] = []
    const classifier = (_input: unknown, question: object) => {
      asked.push(question)
      return undefined
    }
    classify(new Error('x'), { classifier: classifier as never, provider: 'p', model: 'm', now: 5 })
    classify(new Error('x'), { classifier: classifier as never })
    expect(asked[0]).toMatchObject({ returned: false, provider: 'p', model: 'm', now: 5 })
    expect(Object.keys(asked[1] as object).sort()).toEqual(['builtIn', 'returned'])
  })
})

describe('the order of what matched', () => {
  const ranks = Object.keys(RANKS) as Rank[]
  const kinds = ['billing', 'rate_limit', 'overloaded', 'auth', 'network', 'server_error', 'unknown'] as const
  const candidates: fc.Arbitrary<Candidate> = fc
    .record({
      rank: fc.constantFrom(...ranks),
      kind: fc.constantFrom(...kinds),
      id: fc.constantFrom('a', 'b', 'c'),
      depth: fc.nat({ max: 2 }),
      at: fc.nat({ max: 2 }),
      structured: fc.boolean(),
      late: fc.boolean(),
    })
    .map(
      ({ rank, kind, id, ...rest }) =>
        ({ ...rest, rule: { rank, kind, id }, where: '', source: '', end: 0 }) as never,
    )

  it('is total: it does not depend on the order of comparison', () => {
    fc.assert(
      fc.property(candidates, candidates, candidates, (a, b, c) => {
        expect(Math.sign(byPrecedence(a, b))).toBe(-Math.sign(byPrecedence(b, a)) + 0)
        if (byPrecedence(a, b) <= 0 && byPrecedence(b, c) <= 0)
          expect(byPrecedence(a, c)).toBeLessThanOrEqual(0)
      }),
    )
  })

  it('treats the same rule at the same place as equal', () => {
    fc.assert(fc.property(candidates, candidate => byPrecedence(candidate, { ...candidate }) === 0))
  })

  const plain = { rank: 'general', kind: 'network', id: 'b', depth: 1, at: 1, structured: false, late: false }
  const make = ({ rank, kind, id, ...rest }: typeof plain): Candidate =>
    ({ ...rest, rule: { rank, kind, id }, where: '', source: '', end: 0 }) as never

  it.each<[string, Partial<typeof plain>, Partial<typeof plain>]>([
    ['the final error before a retry banner of a better rank', {}, { late: true, rank: 'told' }],
    ['the better rank before the deeper', { rank: 'specific' }, { depth: 2 }],
    ['the deeper before the graver kind', { depth: 2 }, { kind: 'billing' }],
    ['the graver kind before the structured', { kind: 'billing' }, { structured: true }],
    ['the structured before the later', { structured: true }, { at: 2 }],
    ['the later before the earlier', { at: 2, id: 'c' }, { id: 'a' }],
    ['else the rule that comes first by name', { id: 'a' }, { id: 'b' }],
  ])('%s', (_title, first, second) => {
    const [a, b] = [make({ ...plain, ...first }), make({ ...plain, ...second })]
    expect(byPrecedence(a, b)).toBeLessThan(0)
    expect(byPrecedence(b, a)).toBeGreaterThan(0)
  })

  const neighbours = <T>(list: readonly T[]) =>
    list.slice(1).map((next, index) => [list[index] as T, next] as const)

  it.each(neighbours(KIND_ORDER))('%s comes before %s where both are said', (kind, next) => {
    expect(byPrecedence(make({ ...plain, kind }), make({ ...plain, kind: next }))).toBeLessThan(0)
  })

  const answer = (status: number, error: object) => ({ status, headers: {}, body: { error } })
  const meeting: Record<string, [input: unknown, kind: string]> = {
    'told, specific': [{ error: 'insufficient balance', error_kind: 'disk_full' }, 'disk_full'],
    'specific, typed': [
      answer(500, { code: 'rate_limit_exceeded', message: 'insufficient balance' }),
      'billing',
    ],
    'typed, general': [Object.assign(new Error('request timed out'), { code: 'ECONNREFUSED' }), 'network'],
    'general, status': [answer(500, { message: 'the request timed out' }), 'timeout'],
    'status, last': [ended({ exitCode: 101, stderr: 'HTTP 503 Service Unavailable' }), 'overloaded'],
  }

  it.each(neighbours(ranks))(
    'what is %s comes before what is %s, in a failure that has both',
    (rank, next) => {
      const [input, kind] = meeting[`${rank}, ${next}`] ?? []
      expect(failureOf(input, { returned: rank === 'told' }).kind).toBe(kind)
    },
  )
})
