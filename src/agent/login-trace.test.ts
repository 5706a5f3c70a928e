import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AGENT_CLIS } from '../config/agent-clis.ts'
import { loginTrace } from './login-trace.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mulligan-login-'))
})
afterEach(() => rmSync(home, { recursive: true }))

describe('the login of a CLI', () => {
  it.each(AGENT_CLIS.filter(cli => cli !== 'command'))('of %s is identified without reading it', cli => {
    expect(loginTrace(cli, { HOME: home })).toBe(loginTrace(cli, { HOME: home }))
    expect(loginTrace(cli, { HOME: home })).not.toBe(loginTrace(cli, { HOME: join(home, 'other') }))
  })

  it('changes with a new login', () => {
    const before = loginTrace('claude', { HOME: home })
    mkdirSync(join(home, '.claude'))
    writeFileSync(join(home, '.claude', '.credentials.json'), '{}')
    const after = loginTrace('claude', { HOME: home })
    expect(after).not.toBe(before)
    writeFileSync(join(home, '.claude', '.credentials.json'), '{"token":"renewed"}')
    expect(loginTrace('claude', { HOME: home })).not.toBe(after)
  })

  it('of a second account differs from the first', () => {
    const [one, two] = ['one', 'two'].map(name => loginTrace('codex', { CODEX_HOME: join(home, name) }))
    expect(one).not.toBe(two)
    expect(loginTrace('codex', { HOME: home, OPENAI_API_KEY: 'a' })).not.toBe(
      loginTrace('codex', { HOME: home, OPENAI_API_KEY: 'b' }),
    )
  })

  it("differs after the proxy's login has changed", () => {
    const behind = (proxy: string) => loginTrace('claude', { HOME: home, HTTPS_PROXY: proxy })
    expect(behind('http://me:old@proxy:3128')).not.toBe(behind('http://me:new@proxy:3128'))
  })

  it('of any other program is not known', () => {
    expect(loginTrace('command', { HOME: home })).toBeUndefined()
  })
})
