import { expect, it } from 'vitest'
import { FAULT_NAMES, FAULTS, faultName } from './table.ts'

it('suggests the nearest fault for a mistyped one, or lists all if none is near', () => {
  expect(() => faultName('server_eror')).toThrow('did you mean "server_error"?')
  expect(() => faultName('zzz')).toThrow('one of: rate_limit, usage_limit')
  expect(() => faultName('toString')).toThrow('unknown fault "toString"')
})

it('derives every stream fault from one with a status', () => {
  for (const name of FAULT_NAMES) {
    const fault = FAULTS[name]
    if (fault.does !== 'refuse in stream') continue
    expect(FAULTS[faultName(fault.of)]).toMatchObject({ does: 'refuse', expected: fault.expected })
  }
})
