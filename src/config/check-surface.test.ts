import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError } from './error.ts'
import { loadConfig } from './load.ts'
import { readConfig } from './read.ts'
import { UntrustedConfig } from './untrusted.ts'

function problemsOf(text: string): string[] {
  try {
    readConfig(text, 'mulligan.toml')
  } catch (error) {
    if (error instanceof ConfigError)
      return error.problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
    throw error
  }
  return []
}

const GOOD = `
[[provider]]
id = "claude"

[[surface]]
name = "phone"
kind = "telegram"
token = "env:TELEGRAM_TOKEN"
chat = "@ops"
events = ["dead", "billing"]
classes = ["throttle"]
providers = ["claude"]
min_priority = "high"

[[surface]]
name = "team"
kind = "slack"
webhook = "env:SLACK_WEBHOOK"

[[surface]]
name = "bot"
kind = "slack"
token = "env:SLACK_TOKEN"
chat = "#ops"

[[surface]]
name = "server"
kind = "discord"
webhook = "env:DISCORD_WEBHOOK"
gather = "30s"

[[surface]]
name = "notes"
kind = "obsidian"
vault = "/home/me/vault"
note = "Inbox/Mulligan.md"

[[surface]]
name = "hook"
kind = "webhook"
url = "https://example.com/hook"
secret = "env:HOOK_SECRET"

[[surface]]
name = "issues"
kind = "github"
repo = "me/factory"
token = "env:GITHUB_TOKEN"

[[surface]]
name = "tea"
kind = "gitea"
repo = "me/factory"
token = "file:~/tea.token"
base_url = "http://127.0.0.1:3000"

[[surface]]
name = "screen"
kind = "desktop"

[[surface]]
name = "script"
kind = "command"
argv = ["tell", "me"]
`

describe('[[surface]]', () => {
  it('is read for every kind, with its defaults', () => {
    const { surfaces } = readConfig(GOOD, 'mulligan.toml').config
    expect(surfaces).toHaveLength(10)
    expect(surfaces[0]).toMatchObject({
      name: 'phone',
      kind: 'telegram',
      enabled: true,
      events: ['dead', 'billing'],
      minPriority: 'high',
      gatherMs: 5_000,
      timeoutMs: 15_000,
    })
    expect(surfaces[4]?.note).toBe('Inbox/Mulligan.md')
  })

  it.each([
    ['kind = "pager"', /kind must be one of "telegram", "slack"/],
    ['kind = "telegramm"', /did you mean "telegram"/],
    ['kind = "telegram"\nchat = "1"', /"s" needs "token" for kind = "telegram"/],
    ['kind = "telegram"\ntoken = "123:abc"\nchat = "1"', /never put the secret itself in the config/],
    ['kind = "desktop"\nchat = "1"', /chat is not for kind = "desktop"; it is for "telegram", "slack"/],
    ['kind = "slack"', /needs one of "webhook" or "token"/],
    ['kind = "slack"\ntoken = "env:T"', /needs "chat", the channel to post in/],
    ['kind = "slack"\ntoken = "env:T"\nchat = "c"\nwebhook = "env:W"', /conflicts with "webhook"/],
    ['kind = "slack"\nwebhook = "env:W"\nbuttons = true', /buttons needs "token" and "app_token"/],
    ['kind = "slack"\ntoken = "env:T"\nchat = "c"\napp_token = "env:A"', /app_token is for buttons/],
    [
      'kind = "slack"\ntoken = "env:T"\nchat = "c"\napp_token = "env:A"\nbuttons = true\nusers = ["42"]',
      /must be the id of a user, not "42"/,
    ],
    ['kind = "telegram"\ntoken = "env:T"\nchat = "1"\napp_token = "env:A"', /app_token is not for kind/],
    ['kind = "webhook"\nurl = "example.com"', /must be a URL that starts with "https:\/\/"/],
    ['kind = "webhook"\nurl = "https://me:pw@example.com"', /must not contain a user name or password/],
    ['kind = "github"\nrepo = "factory"\ntoken = "env:T"', /repo must be "owner\/name", not "factory"/],
    ['kind = "gitea"\nrepo = "a/b"\ntoken = "env:T"', /needs "base_url" for kind = "gitea"/],
    ['kind = "obsidian"\nvault = "/v"\nnote = "../x.md"', /note must be a path within the vault/],
    ['kind = "obsidian"\nvault = "/v"\nnote = "/etc/x"', /note must be a path within the vault/],
    ['kind = "desktop"\nevents = ["died"]', /must be one of "dead"/],
    ['kind = "desktop"\nproviders = ["claud"]', /refers to unknown provider "claud"; did you mean "claude"/],
    ['kind = "desktop"\ngather = "soon"', /gather must be a duration/],
    ['kind = "desktop"\nmin_priority = "loud"', /min_priority must be one of "low", "normal"/],
  ])('refuses %s', (text, message) => {
    const problems = problemsOf(`[[provider]]\nid = "claude"\n[[surface]]\nname = "s"\n${text}\n`)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(message)
    expect(problems[0]).toMatch(/^\d+:\d+ /)
  })

  it('refuses two with the same name, pointing at the second', () => {
    const twice = '[[surface]]\nname = "a"\nkind = "desktop"\n'.repeat(2)
    expect(problemsOf(twice)).toEqual(['5:1 surface "a": name "a" is defined twice'])
  })

  it('cannot reveal a secret until the config is trusted', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mulligan-surface-'))
    try {
      writeFileSync(join(folder, 'mulligan.toml'), GOOD)
      const env = { TELEGRAM_TOKEN: 'a-secret' }
      const found = loadConfig({ env, cwd: folder })
      const token = found.config.surfaces[0]?.token
      expect(`${token}`).toBe('env:TELEGRAM_TOKEN')
      expect(() => token?.resolve({ env })).toThrow(UntrustedConfig)
      expect(found.trust().config.surfaces[0]?.token?.resolve({ env })).toBe('a-secret')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
