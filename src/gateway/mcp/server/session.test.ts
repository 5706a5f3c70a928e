import { describe, expect, it } from 'vitest'
import { isSessionName, sessionNameOf } from './session.ts'

describe('the session of a client that names none', () => {
  it('is the same for the same client and folder, and different elsewhere', () => {
    const name = sessionNameOf('Claude Code', '/home/you/project')
    expect(name).toMatch(/^claude-code:project-[0-9a-f]{8}$/)
    expect(sessionNameOf('Claude Code', '/home/you/project')).toBe(name)
    expect(sessionNameOf('Claude Code', '/home/me/project')).not.toBe(name)
    expect(sessionNameOf('codex', '/home/you/project')).not.toBe(name)
  })

  it.each([
    [undefined, '/'],
    ['', ''],
    ['x'.repeat(500), `/${'y'.repeat(500)}`],
    ['\u001b[31mred\n', '/a b/\u0000'],
  ])('is a valid name for any client: %j', (client, workspace) => {
    expect(isSessionName(sessionNameOf(client, workspace))).toBe(true)
  })
})
