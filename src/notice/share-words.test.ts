import { describe, expect, it } from 'vitest'
import { readConfig } from '../config/read.ts'
import { shareInWords } from './share-words.ts'
import { tellingRuleOf } from './telling-rule.ts'

const sharesOf = (toml: string) =>
  tellingRuleOf(readConfig(toml, undefined).trust().config).surfaces.map(shareInWords)
const DESKTOP = '[[surface]]\nname = "desk"\nkind = "desktop"\n'
const GITHUB = '[[surface]]\nname = "issues"\nkind = "github"\nrepo = "a/b"\ntoken = "env:T"\n'

describe('what a surface gets, in words', () => {
  it('names its events, those it does not get, and whether submitted work is told', () => {
    const [[gets = '', ...more] = []] = sharesOf(DESKTOP)
    expect(gets).toMatch(/^desk gets dead, parked, down, limit, back, .*config_trouble, ledger_trouble$/)
    expect(more).toEqual([
      '  not: succeeded',
      '  also: work that was submitted and that nobody waits for',
      '  not: each run of a schedule or step of a workflow, which have events of their own',
      '  it cannot edit: a message stays as it was sent',
    ])
  })

  it('follows what the surface sets', () => {
    const [share = []] = sharesOf(
      `${DESKTOP}background = false\nmin_priority = "high"\nclasses = ["throttle"]\nevents = ["dead"]\n`,
    )
    expect(share).toContain('desk gets dead')
    expect(share).toContain('  not: priority below high')
    expect(share).toContain('  not: failures of other classes than throttle')
    expect(share).toContain('  not: work that was submitted, only work that somebody waits for')
    expect(sharesOf(`${DESKTOP}enabled = false\n`)).toEqual([['desk gets nothing: enabled = false']])
  })

  it('says little for an issue tracker', () => {
    const [share = []] = sharesOf(GITHUB)
    expect(share[0]).toBe('issues gets unknown')
    expect(share.at(-1)).toBe('  its messages are edited when their cause is gone')
    expect(share).toHaveLength(3)
  })

  it('follows the preset', () => {
    const [share = []] = sharesOf(`[policy]\npreset = "work_buddy"\n${DESKTOP}`)
    expect(share).toContain('  not: work that was submitted, only work that somebody waits for')
  })
})
