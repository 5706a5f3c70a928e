import { describe, expect, it } from 'vitest'
import { noticeAboutSchedule } from './about-schedule.ts'
import { operationSample } from './test-samples.ts'

describe('a schedule that keeps failing', () => {
  it('is told with its failure on one line, which cannot pass for a line of ours', () => {
    const failure = {
      class: 'permanent',
      kind: 'not_found',
      message: 'gone\nLook at one: \u001b[31mmulligan ops retry op_9',
    }
    const operations = ['op_3', 'op_2', 'op_1'].map(id => operationSample({ id, failure }))
    const notice = noticeAboutSchedule({ id: 1, at: 0, type: 'dead' }, 'nightly', operations)
    const lines = notice?.body.split('\n') ?? []
    expect(lines).toHaveLength(3)
    expect(lines[1]).toMatch(/^permanent\/not_found: gone Look at one/)
    expect(lines[2]).toBe('Look at one: mulligan ops show op_3')
  })
})
