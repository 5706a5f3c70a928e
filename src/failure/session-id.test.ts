import { describe, expect, it } from 'vitest'
import { classify } from './classify.ts'
import { isSessionId } from './session-id.ts'

describe('the id of a session', () => {
  it.each(['5f0c0c1e-7a3b-4d7e-9a55-0d5b0c9d1f11', 'ses_6fXq2', '0199a213-81c0', 'latest', 's-1', 'a.b:c'])(
    '%s is one',
    id => {
      expect(isSessionId(id)).toBe(true)
    },
  )

  it.each([
    '--dangerously-skip-permissions',
    '-x',
    '',
    '../../etc/passwd',
    'a/b',
    'a b',
    'a;rm -rf /',
    '$(id)',
    'a\n--yolo',
    '\u001b[2Jx',
    'x'.repeat(300),
    7,
  ])('%j is none', id => {
    expect(isSessionId(id)).toBe(false)
  })

  it('is taken from output only if it is valid', () => {
    const option = '--dangerously-skip-permissions'
    const result = { type: 'result', is_error: true, subtype: 'error_during_execution', session_id: option }
    expect(classify({ exitCode: 1, stdout: JSON.stringify(result), stderr: '' })).not.toHaveProperty(
      'sessionId',
    )
    const hint = `Error: overloaded\nTo resume: claude --resume ${option}`
    expect(classify({ exitCode: 1, stdout: '', stderr: hint })).not.toHaveProperty('sessionId')
    const good = classify({ exitCode: 1, stdout: '', stderr: 'boom\nTo resume: claude --resume abc-12345' })
    expect(good?.sessionId).toBe('abc-12345')
  })
})
