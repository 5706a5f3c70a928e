import { describe, expect, it } from 'vitest'
import type { Terminal } from '../cli/terminal.ts'
import { lineInWords, loggerFor } from './log.ts'

function logged(isRead: boolean, level: 'info' | 'warn' = 'info') {
  let text = ''
  const terminal = {
    stderr: (written: string | Buffer) => {
      text += written
    },
    stderrIsTerminal: isRead,
  } as Terminal
  const log = loggerFor(terminal, level)
  log.info({ component: 'queue', operation: 'op_1' }, 'op_1 succeeded')
  log.warn({ component: 'queue', err: new Error('the disk is full') }, 'cannot write')
  return text.trimEnd().split('\n')
}

describe('the log', () => {
  it('is one JSON object per line for programs', () => {
    expect(logged(false).map(line => JSON.parse(line))).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/Z$/),
        component: 'queue',
        operation: 'op_1',
        msg: 'op_1 succeeded',
      },
      expect.objectContaining({
        level: 'warn',
        err: expect.objectContaining({ message: 'the disk is full' }),
      }),
    ])
  })

  it('is a sentence per line for people, with the stack of an error', () => {
    const [first, second, third] = logged(true)
    expect(first).toMatch(/^\d\d:\d\d:\d\d queue: op_1 succeeded \(operation=op_1\)$/)
    expect(second).toMatch(/WARN queue: cannot write$/)
    expect(third).toBe('    Error: the disk is full')
  })

  it('leaves out lines below its level', () => {
    expect(logged(false, 'warn')).toHaveLength(1)
  })

  it('keeps non-string fields as JSON', () => {
    const line =
      '{"level":"info","time":"2026-11-16T03:00:00.000Z","component":"serve","active":[1],"msg":"stopping"}'
    expect(lineInWords(line)).toBe('03:00:00 serve: stopping (active=[1])')
  })

  it('indents further lines of a message, so that no text of a stranger looks like an entry', () => {
    const time = '2026-11-15T03:00:00.000Z'
    const msg = 'op_1 was cancelled: x\n03:00:00 serve: all is well\r03:00:01 serve: truly'
    const line = lineInWords(JSON.stringify({ level: 'info', time, component: 'queue', msg, by: 'a\nb' }))
    expect(line.split('\n').map(each => each.startsWith('    '))).toEqual([false, true, true, true])
    expect(line).not.toContain('\r')
  })
})
