import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { FAULT_NAMES, FAULTS, faultName } from './table.ts'

it('is what the guide shows', () => {
  const guide = readFileSync(new URL('../../docs/lab.md', import.meta.url), 'utf8')
  const rows = FAULT_NAMES.map(name => {
    const { summary, expected } = FAULTS[name]
    const meaning = expected === null ? 'no failure' : `${expected.class}/${expected.kind}`
    return `| \`${name}\` | ${summary} | ${meaning} |`
  })
  expect(guide.split('\n').filter(line => /^\| `\w+` \|/.test(line) && !line.includes('/_lab'))).toEqual(rows)
})

it('names the nearest fault to a mistyped one, and all of them where none is near', () => {
  expect(() => faultName('server_eror')).toThrow('did you mean "server_error"?')
  expect(() => faultName('zzz')).toThrow('one of: rate_limit, usage_limit')
  expect(() => faultName('toString')).toThrow('unknown fault "toString"')
})

it('takes every fault of a stream from one with a status', () => {
  for (const name of FAULT_NAMES) {
    const fault = FAULTS[name]
    if (fault.does !== 'refuse in stream') continue
    expect(FAULTS[faultName(fault.of)]).toMatchObject({ does: 'refuse', expected: fault.expected })
  }
})
