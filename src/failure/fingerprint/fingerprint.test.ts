import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'
import { shapeOf } from './shape.ts'

const fingerprint = (input: unknown, provider = 'p') => classify(input, { provider })?.fingerprint

describe('the fingerprint', () => {
  it.each([
    ['2026/04/20 11:59:12 dial tcp: strange thing', '2026/04/20 11:59:13 dial tcp: strange thing'],
    ['flux 8841 at /srv/app/a.ts failed', 'flux 12 at /home/x/b.ts failed'],
    ['request req_011CV2S4jxpPs7x8 went odd', 'request req_099ZZ2S4jxpPs7x9 went odd'],
    ['session 4f1c8a2e-1111-4222-8333-944455556666 odd', 'session 00000000-aaaa-4bbb-8ccc-dddddddddddd odd'],
    ['ODD Thing happened', 'odd thing happened'],
    ['see https://example.com/a/1?x=2 for more', 'see https://example.com/b/9 for more'],
    ['odd after 10ms', 'odd after 2500ms'],
    ['commit 3f9c2ab7d1e04455 odd', 'commit aa9c2ab7d1e04411 odd'],
    ['commit 3f9c2ab odd', 'commit 81d04f7 odd'],
    ['odd after 1.5s', 'odd after 12m3s'],
    ['odd after 250ms', 'odd after 3 s'],
    ['module "left-pad" is odd', 'module "right-pad" is odd'],
    ["column 'users' is odd", "column 'orders' is odd"],
    ['mail to ann@example.com is odd', 'mail to bob.b@mail.example.org is odd'],
    ['odd peer 2001:db8::1', 'odd peer fe80::1ff:fe23:4567:890a'],
    ['odd peer 10.0.0.1:5432', 'odd peer 192.168.1.20:6543'],
    ['odd peer db1.internal.example:5432', 'odd peer db2.other.example:5433'],
    ['cannot load ./src/a.ts', 'cannot load ../lib/b.ts'],
    ['cannot load src/app/a.ts', 'cannot load lib/b.ts'],
    ['cannot load C:\\work\\a.txt', 'cannot load D:\\tmp\\x\\b.txt'],
    ['fault at 0x7ffee4c0', 'fault at 0x1'],
    ['thread thread_abc123def456 odd', 'thread thread_zzz999yyy888 odd'],
  ])('is the same for %j and %j', (a, b) => {
    expect(fingerprint(a)).toBe(fingerprint(b))
  })

  it('tells different failures and different providers apart', () => {
    expect(fingerprint('the flux is misaligned')).not.toBe(fingerprint('the flux is overheated'))
    expect(fingerprint('the flux is misaligned', 'a')).not.toBe(fingerprint('the flux is misaligned', 'b'))
  })

  it.each([
    ['model_overloaded', 'model_deprecated'],
    ['the tool read_file_contents broke', 'the tool write_file_contents broke'],
    ['odd thing: permission-denied-here', 'odd thing: permission-granted-here'],
    ['the flux capacitor', 'the capacitor flux'],
    [
      { status: 418, headers: {}, body: 'odd' },
      { status: 599, headers: {}, body: 'odd' },
    ],
    [
      { exitCode: 3, signal: null, stdout: '', stderr: 'odd' },
      { exitCode: 4, signal: null, stdout: '', stderr: 'odd' },
    ],
    [Object.assign(new Error('odd'), { code: 'E_ONE' }), Object.assign(new Error('odd'), { code: 'E_TWO' })],
    [Object.assign(new Error('odd'), { code: 13021 }), Object.assign(new Error('odd'), { code: 13022 })],
  ])('tells %j from %j', (a, b) => {
    expect(fingerprint(a)).not.toBe(fingerprint(b))
  })

  it('ignores ids, times, paths and hosts in a sentence', () => {
    const id = fc.uuid()
    const time = fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
      .map(date => date.toISOString())
    const number = fc.nat().map(String)
    const path = fc
      .array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 2, maxLength: 5 })
      .map(parts => `/${parts.join('/')}`)
    const host = fc.ipV4()
    const made = fc
      .tuple(id, time, number, path, host)
      .map(([i, t, n, p, h]) => `${t} worker ${n} at ${h} lost the flux ${i} of ${p} for good`)
    fc.assert(
      fc.property(made, made, (a, b) => {
        expect(shapeOf(a)).toBe(shapeOf(b))
      }),
    )
  })

  it('tells other words apart', () => {
    const word = fc.stringMatching(/^[a-z]{5,12}$/)
    fc.assert(
      fc.property(word, word, (a, b) => {
        fc.pre(a !== b)
        expect(shapeOf(`the flux is ${a} today`)).not.toBe(shapeOf(`the flux is ${b} today`))
      }),
    )
  })

  it('does not depend on the class, so a label given later finds the failures that wait for it', () => {
    const failure = classify('strange thing', { provider: 'p' })
    const aborted = classify('strange thing', { provider: 'p', own: { timedOut: false } })
    expect(failure?.fingerprint).toBe(aborted?.fingerprint)
    expect(failure?.fingerprint).toMatch(/^fp2:[0-9a-f]{16}$/)
  })

  it('finds the name of an error in front of a long run of letters, and does not hang on it', () => {
    const said = (name: string) => classify(`the backend rejected with "${name}" ${'a1b'.repeat(1_500)},`)
    expect(said('seat_drained')?.fingerprint).not.toBe(said('seat_lost')?.fingerprint)
  })

  it('keeps the words and their order', () => {
    expect(shapeOf('Error 42: disk /dev/sda1 is on fire!')).toBe('error # disk path is on fire')
  })
})
