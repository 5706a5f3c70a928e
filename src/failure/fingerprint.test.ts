import { describe, expect, it } from 'vitest'
import { classify } from './classify.ts'
import { shapeOf } from './fingerprint.ts'

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
  ])('is the same for %j and %j', (a, b) => {
    expect(fingerprint(a)).toBe(fingerprint(b))
  })

  it('tells different failures and different providers apart', () => {
    expect(fingerprint('the flux is misaligned')).not.toBe(fingerprint('the flux is overheated'))
    expect(fingerprint('the flux is misaligned', 'a')).not.toBe(fingerprint('the flux is misaligned', 'b'))
  })

  it('does not depend on the class, so that a label given later finds what waits for it', () => {
    const failure = classify('strange thing', { provider: 'p' })
    const aborted = classify('strange thing', { provider: 'p', own: { timedOut: false } })
    expect(failure?.fingerprint).toBe(aborted?.fingerprint)
    expect(failure?.fingerprint).toMatch(/^fp1:[0-9a-f]{16}$/)
  })

  it('keeps the words and their order', () => {
    expect(shapeOf('Error 42: disk /dev/sda1 is on fire!')).toBe('error # disk path is on fire')
  })
})
