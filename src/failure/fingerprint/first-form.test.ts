import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'
import { Signatures } from '../signature.ts'

const labelled = (fingerprint: string) =>
  new Signatures('kimi', {}, [], [{ fingerprint, class: 'throttle', kind: 'quota' }])

// The fingerprints are those that an earlier version stored.
describe('a label that was given to a fingerprint of the first form', () => {
  it('still applies to its failure', () => {
    const signatures = labelled('fp1:5f63d5914d4199a3')
    const failure = classify('seat leases 99 are drained', { provider: 'kimi', signatures })
    expect(failure).toMatchObject({ class: 'throttle', kind: 'quota' })
    expect(failure?.fingerprint).toMatch(/^fp2:/)
    expect(classify('the ledger is frozen', { provider: 'kimi', signatures })?.class).toBe('unknown')
  })

  it('still applies where a banner is the first line, which people no longer read as the message', () => {
    const stderr = 'kimi v2.3.1\nseat leases are drained'
    const failure = classify(
      { exitCode: 1, signal: null, stdout: '', stderr },
      { provider: 'kimi', signatures: labelled('fp1:66ef976b569fa036') },
    )
    expect(failure).toMatchObject({ class: 'throttle', message: 'seat leases are drained' })
  })
})
