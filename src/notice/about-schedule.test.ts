import { describe, expect, it } from 'vitest'
import { operationSample } from '../../test/notice/samples.ts'
import { scheduleFailing } from './about-schedule.ts'

describe('a schedule that keeps failing', () => {
  it('has its failure on one line, so the failure cannot forge a line of the notice', () => {
    const failure = {
      class: 'permanent',
      kind: 'not_found',
      message: 'gone\nDetails of the last: \u001b[31mmulligan ops retry op_9',
    }
    const operations = ['op_3', 'op_2', 'op_1'].map(id => operationSample({ id, failure }))
    const notice = scheduleFailing({ id: 1, at: 0, type: 'dead' }, 'nightly', operations)
    const lines = notice.body.split('\n')
    expect(lines).toHaveLength(4)
    expect(lines[1]).toMatch(/^permanent\/not_found: gone Details of the last/)
    expect(lines[2]).toBe('Details of the last: mulligan ops show op_3')
  })
})
