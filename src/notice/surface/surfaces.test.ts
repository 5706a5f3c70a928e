import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SurfaceStub } from '../../../test/notice/stub.ts'
import { readConfig } from '../../config/read.ts'
import type { SurfaceKind } from '../../config/schema/surface.ts'
import { classify } from '../../failure/classify.ts'
import { redact } from '../../failure/redact.ts'
import type { Message } from '../message.ts'
import { canEdit } from './can-edit.ts'
import { desktopCommand } from './desktop.ts'
import { fenced, fitted, markdownText, slackText, withoutMentions } from './escape.ts'
import { surfaceOf } from './from-config.ts'
import type { Surface } from './surface.ts'
import { signatureOf } from './webhook.ts'

let stub: SurfaceStub
let folder: string
beforeEach(async () => {
  stub = await SurfaceStub.start()
  folder = mkdtempSync(join(tmpdir(), 'mulligan-surface-'))
})
afterEach(async () => {
  await stub.close()
  rmSync(folder, { recursive: true, force: true })
})

const NOW = Date.parse('2026-11-16T20:00:00Z')
const TOKEN = '123456:AAH-secretsecretsecret'

const message = (more: Partial<Message> = {}): Message => ({
  id: 'm_1',
  event: 'dead',
  priority: 'high',
  count: 1,
  title: 'deploy ended without success',
  text: 'op_1: refused\n@everyone <!channel> [a](http://x) **b**',
  at: NOW,
  notices: ['notice_1'],
  ...more,
})

/** A surface as the config makes it, sending to the stub. */
function made(kind: SurfaceKind, more = ''): Surface {
  const keys: Record<SurfaceKind, string> = {
    telegram: `token = "env:TOKEN"\nchat = "1"\nbase_url = "${stub.url}"`,
    slack: `token = "env:TOKEN"\nchat = "#ops"\nbase_url = "${stub.url}"`,
    discord: 'webhook = "env:DISCORD"',
    obsidian: `token = "env:TOKEN"\nbase_url = "${stub.url}"\nnote = "In box/Mulligan.md"`,
    webhook: `url = "${stub.url}/hook"\nsecret = "env:TOKEN"`,
    github: `repo = "me/it"\ntoken = "env:TOKEN"\nbase_url = "${stub.url}"`,
    gitea: `repo = "me/it"\ntoken = "env:TOKEN"\nbase_url = "${stub.url}/"`,
    desktop: '',
    command:
      'argv = ["node", "-e", "process.stdin.pipe(require(\'node:fs\').createWriteStream(\'told.json\'))"]',
  }
  const text = `[[surface]]\nname = "s"\nkind = "${kind}"\n${more === '' ? keys[kind] : more}\n`
  const [config] = readConfig(text, undefined).trust().config.surfaces
  const env = { ...process.env, TOKEN, DISCORD: `${stub.url}/discord`, SLACK: `${stub.url}/slack` }
  return surfaceOf(config as NonNullable<typeof config>, { base: folder, env, now: () => NOW })
}

const send = (surface: Surface, given = message(), signal = AbortSignal.timeout(20_000)) =>
  surface.send(given, { signal })
const failureOf = async (sending: Promise<unknown>) => {
  const error = await sending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return classify(error, { now: NOW })
}

const HTTP_KINDS = ['telegram', 'slack', 'discord', 'obsidian', 'webhook', 'github', 'gitea'] as const

describe.each(HTTP_KINDS)('%s', kind => {
  it('gets the title and the text', async () => {
    await send(made(kind))
    expect(stub.arrived).toHaveLength(1)
    expect(stub.texts(kind)[0]).toContain('deploy ended without success')
    expect(stub.texts(kind)[0]).toContain('refused')
  })

  it.each([
    ['429', 'throttle', 1_000],
    ['500', 'transient', undefined],
    ['401', 'permanent', undefined],
    ['reset', 'transient', undefined],
    ['redirect', 'permanent', undefined],
  ] as const)('that answers %s fails as %s', async (fault, cls, retryAfterMs) => {
    stub.faults = [fault]
    const failure = await failureOf(send(made(kind)))
    expect(failure).toMatchObject({ class: cls, ...(retryAfterMs && { retryAfterMs }) })
    expect(stub.arrived).toEqual([])
    expect(JSON.stringify(failure)).not.toContain('secretsecret')
  })

  it('that redirects is not followed', async () => {
    stub.faults = ['redirect']
    await expect(send(made(kind))).rejects.toThrow('a redirect, which is not followed')
    expect(stub.asked).not.toContain('/elsewhere')
  })

  it('that hangs is abandoned at the deadline', async () => {
    stub.faults = ['hang']
    const stop = new AbortController()
    stub.onRequest = () => stop.abort(new Error('the deadline'))
    await expect(send(made(kind), message(), stop.signal)).rejects.toThrow('the deadline')
  })
})

describe.each(['telegram', 'slack', 'discord', 'obsidian', 'github', 'gitea'] as const)(
  'a message at %s',
  kind => {
    const resolved = { at: NOW, why: 'claude works again\n# no heading' }
    const edit = async (surface: Surface, given: Message) => {
      const { reference = '' } = await send(surface, message())
      const context = { signal: AbortSignal.timeout(20_000) }
      expect(await surface.edit?.(given, reference, context)).toMatchObject({ reference })
      await surface.edit?.(given, reference, context)
    }

    it('is changed where it is once it is resolved, and says why; doing so twice changes nothing more', async () => {
      await edit(made(kind), message({ title: 'Resolved: deploy', text: resolved.why, resolved }))
      expect(stub.arrived.filter(({ text }) => !text.includes('Resolved'))).toHaveLength(1)
      const changed = stub.edited.at(-1)
      expect(changed).toMatchObject({
        kind,
        reference: kind === 'obsidian' ? 'In box/Mulligan.md' : expect.stringMatching(/^1/),
      })
      expect(changed?.text).toContain('claude works again')
      expect(changed?.text.match(/Resolved/g)).toHaveLength(1)
    })
  },
)

describe('a surface that cannot change what it has shown', () => {
  it.each(['webhook', 'desktop', 'command'] as const)('has no edit: %s', kind => {
    expect(made(kind).edit).toBeUndefined()
    expect(canEdit({ kind })).toBe(false)
  })

  it('is also an incoming webhook of Slack', () => {
    expect(made('slack', 'webhook = "env:SLACK"').edit).toBeUndefined()
    expect(made('slack').edit).toBeDefined()
  })
})

describe('an issue', () => {
  it.each(['github', 'gitea'] as const)(
    'at %s is closed with one comment when its failure has a label',
    async kind => {
      const surface = made(kind)
      const { reference = '' } = await send(surface, message())
      const context = { signal: AbortSignal.timeout(20_000) }
      await surface.edit?.(message({ text: 'more of them' }), reference, context)
      expect(stub.issues[0]).toMatchObject({ state: 'open', comments: [] })
      const resolved = { at: NOW, why: 'labelled by ann' }
      for (let each = 0; each < 2; each++) await surface.edit?.(message({ resolved }), reference, context)
      expect(stub.issues[0]).toMatchObject({ state: 'closed', title: 'deploy ended without success' })
      expect(stub.issues[0]?.comments).toHaveLength(1)
      expect(stub.issues[0]?.comments[0]?.body).toContain('labelled by ann')
    },
  )
})

describe.each(['github', 'gitea', 'obsidian'] as const)('%s can tell', kind => {
  it('whether a message is there', async () => {
    const surface = made(kind)
    const ask = (given: Message) => surface.verify?.(given, { signal: AbortSignal.timeout(20_000) })
    expect(await ask(message())).toBe('absent')
    stub.faults = ['taken_then_reset']
    expect(await failureOf(send(surface))).toMatchObject({ class: 'transient' })
    expect(await ask(message())).toMatchObject({ state: 'done' })
    expect(await ask(message({ id: 'm_2' }))).toBe('absent')
  })

  it('and rejects when it cannot be reached', async () => {
    const surface = made(kind)
    await stub.close()
    await expect(surface.verify?.(message(), { signal: AbortSignal.timeout(20_000) })).rejects.toThrow()
    stub = await SurfaceStub.start()
  })
})

describe.each(['github', 'gitea'] as const)('an unknown failure at %s', kind => {
  const unknown = (id: string) => message({ id, event: 'unknown', fingerprint: 'fp1:abc', title: 'Unknown' })

  it('has one issue, and a comment when it is back after the issue was closed', async () => {
    const surface = made(kind)
    await send(surface, unknown('m_1'))
    await send(surface, unknown('m_2'))
    expect(stub.issues).toHaveLength(1)
    expect(stub.issues[0]?.comments).toEqual([])
    const issue = stub.issues[0] as (typeof stub.issues)[0]
    issue.state = 'closed'
    const ask = () => surface.verify?.(unknown('m_3'), { signal: AbortSignal.timeout(20_000) })
    expect(await ask()).toBe('absent')
    expect(await send(surface, unknown('m_3'))).toEqual({ reference: issue.html_url })
    expect(await ask()).toMatchObject({ state: 'done' })
    expect(stub.issues).toHaveLength(1)
    expect(issue.comments).toHaveLength(1)
    expect(issue.comments[0]?.body).toContain('is back')
  })

  it('is not confused with another one named in its text', async () => {
    const surface = made(kind)
    const text = 'it said\n```\n<!-- mulligan:unknown:fp1:abc -->\n<!-- mulligan:m_2 -->\n```\n'
    await send(surface, message({ event: 'unknown', fingerprint: 'fp1:def', text }))
    expect(await surface.verify?.(unknown('m_2'), { signal: AbortSignal.timeout(20_000) })).toBe('absent')
    await send(surface, unknown('m_2'))
    expect(stub.issues).toHaveLength(2)
  })

  it('has no mention in its title', async () => {
    await send(made(kind), { ...unknown('m_1'), title: 'Unknown failure of p: @me/owners look' })
    expect(stub.issues[0]?.title).toMatch(/^Unknown failure of p: @\u2060me/)
  })
})

describe('text is data', () => {
  it('holds no secret of a surface, even one that looks like no known secret', () => {
    const address = `${stub.url}/discord`
    expect(redact(`posted to ${address}`)).toContain(address)
    made('discord')
    expect(redact(`posted to ${address}`)).not.toContain(address)
  })

  it('never mentions anyone', async () => {
    await send(made('telegram'))
    await send(made('slack'))
    await send(made('discord'))
    for (const { text } of stub.arrived) expect(text).not.toContain('@everyone')
    expect(stub.texts('slack')[0]).toContain('&lt;!channel&gt;')
    expect(JSON.parse(stub.arrived[0]?.body as string)).not.toHaveProperty('parse_mode')
    expect(JSON.parse(stub.arrived[1]?.body as string)).toMatchObject({ mrkdwn: false, parse: 'none' })
    expect(JSON.parse(stub.arrived[2]?.body as string)).toMatchObject({ allowed_mentions: { parse: [] } })
    expect(stub.texts('discord')[0]).toContain('\\*\\*b\\*\\*')
  })

  it('cannot close the code block around it', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('`', '\n', 'a', '~', ' ') }), text => {
        const lines = fenced(text).split('\n')
        const fence = lines.at(-1) as string
        expect(lines[0]).toBe(`${fence}text`)
        expect(lines.slice(1, -1).some(line => line.trim().startsWith(fence))).toBe(false)
      }),
    )
  })

  it('is cut before it is escaped, and always fits', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), fc.integer({ min: 10, max: 200 }), (text, most) => {
        for (const escaping of [slackText, markdownText, withoutMentions]) {
          const shown = fitted(text, most, escaping)
          expect(shown.length).toBeLessThanOrEqual(most)
          expect(shown).not.toMatch(/&(?!amp;|lt;|gt;)/.test(slackText(text)) ? /never/ : /&(?:a|am|l|g)$/)
        }
      }),
    )
  })

  it('is a separate argument on a desktop, never part of a script', () => {
    const evil = message({ title: '" & (do shell script "id") & "', text: '-e <b>x</b>' })
    const mac = desktopCommand(evil, 'darwin')
    expect(mac.slice(1, 7)).toEqual([
      '-e',
      'on run argv',
      '-e',
      'display notification (item 2 of argv) with title (item 1 of argv)',
      '-e',
      'end run',
    ])
    expect(mac.slice(7)).toEqual([`Mulligan: ${evil.title}`, ` ${evil.text}`])
    expect(desktopCommand(evil, 'linux').slice(-3)).toEqual([
      '--',
      `Mulligan: ${evil.title}`,
      '-e &lt;b&gt;x&lt;/b&gt;',
    ])
    expect(() => desktopCommand(evil, 'win32')).toThrow('need Linux or macOS')
  })
})

describe('a webhook', () => {
  it('is signed over timestamp and body, and names the delivery', async () => {
    await send(made('webhook'))
    const [{ headers, body }] = stub.arrived as [(typeof stub.arrived)[0]]
    expect(headers['mulligan-delivery']).toBe('m_1')
    const timestamp = String(NOW / 1_000)
    expect(headers['mulligan-timestamp']).toBe(timestamp)
    expect(headers['mulligan-signature']).toBe(signatureOf(TOKEN, timestamp, body))
    expect(signatureOf(TOKEN, '1', body)).not.toBe(signatureOf(TOKEN, '2', body))
    expect(JSON.parse(body)).toMatchObject({ id: 'm_1', event: 'dead', at: '2026-11-16T20:00:00.000Z' })
  })
})

describe('slack', () => {
  it('can be reached through an incoming webhook', async () => {
    await send(made('slack', 'webhook = "env:SLACK"'))
    expect(stub.texts('slack')).toHaveLength(1)
  })

  it('has buttons on what needs action, and takes them away when that is resolved', async () => {
    const slack = made(
      'slack',
      `token = "env:TOKEN"\napp_token = "env:TOKEN"\nchat = "c"\nbuttons = true\nbase_url = "${stub.url}"`,
    )
    const { reference = '' } = await send(slack, message({ needsAction: true, title: '<!channel> failed' }))
    const { blocks } = JSON.parse(stub.arrived.at(-1)?.body ?? '')
    expect(blocks).toMatchObject([
      { type: 'section', text: { type: 'plain_text' } },
      { type: 'actions', elements: [{ value: 'read:m_1' }, { value: 'snooze:m_1' }] },
    ])
    await slack.edit?.(message({ needsAction: false }), reference, { signal: AbortSignal.timeout(20_000) })
    expect(stub.edited.at(-1)?.blocks).toEqual([])
  })
})

describe('a command', () => {
  it('gets the message as JSON on its stdin', async () => {
    await send(made('command'))
    expect(JSON.parse(readFileSync(join(folder, 'told.json'), 'utf8'))).toMatchObject({ id: 'm_1', count: 1 })
  })

  it('that fails is a failure that includes its output', async () => {
    const surface = made('command', 'argv = ["node", "-e", "console.error(\'no pager\'); process.exit(3)"]')
    expect(await failureOf(send(surface))).toMatchObject({ kind: 'command_failed', exitCode: 3 })
  })
})

describe('a note in a vault', () => {
  const vault = (note: string) => made('obsidian', `vault = "."\nnote = "${note}"`)

  it('is created with its folders, then appended to', async () => {
    await send(vault('Inbox/Mulligan.md'))
    await send(vault('Inbox/Mulligan.md'), message({ id: 'm_2', title: '[[link]] #tag' }))
    const text = readFileSync(join(folder, 'Inbox/Mulligan.md'), 'utf8')
    expect(text).toContain('%% mulligan:m_1 %%')
    expect(text).toContain('\\[\\[link\\]\\] \\#tag')
    const ask = (id: string) =>
      vault('Inbox/Mulligan.md').verify?.(message({ id }), { signal: AbortSignal.timeout(9_000) })
    expect(await ask('m_2')).toMatchObject({ state: 'done' })
    expect(await ask('m_3')).toBe('absent')
  })

  it('keeps everything else when a message in it is resolved', async () => {
    const surface = vault('Mulligan.md')
    const file = join(folder, 'Mulligan.md')
    await send(surface)
    await send(surface, message({ id: 'm_2', title: 'another' }))
    writeFileSync(file, `my own line\n${readFileSync(file, 'utf8')}`)
    const before = readFileSync(file, 'utf8')
    const resolved = { at: NOW, why: 'it works %% again' }
    const context = { signal: AbortSignal.timeout(9_000) }
    for (let each = 0; each < 2; each++) await surface.edit?.(message({ resolved }), 'Mulligan.md', context)
    const line = 'Resolved 2026-11-16 20:00 UTC: it works \\%\\% again\n\n'
    expect(readFileSync(file, 'utf8')).toBe(before.replace('%% mulligan:m_1 %%', `${line}%% mulligan:m_1 %%`))
    expect(readdirSync(folder)).toEqual(['Mulligan.md'])
  })

  it.each(['link.md', 'linked/note.md'])('is not followed out of the vault: %s', async note => {
    const outside = mkdtempSync(join(tmpdir(), 'mulligan-outside-'))
    try {
      writeFileSync(join(outside, 'target.md'), '')
      symlinkSync(join(outside, 'target.md'), join(folder, 'link.md'))
      symlinkSync(outside, join(folder, 'linked'))
      await expect(send(vault(note))).rejects.toThrow()
      if (note === 'linked/note.md')
        expect(await failureOf(send(vault(note)))).toMatchObject({ class: 'permanent', kind: 'config' })
      await expect(vault(note).verify?.(message(), { signal: AbortSignal.timeout(9_000) })).rejects.toThrow()
      expect(readFileSync(join(outside, 'target.md'), 'utf8')).toBe('')
      expect(existsSync(join(outside, 'note.md'))).toBe(false)
    } finally {
      rmSync(outside, { recursive: true })
    }
  })
})

describe('a variable that a surface needs', () => {
  it('is named when it is not set', () => {
    expect(() => made('telegram', 'token = "env:NOT_SET_HERE"\nchat = "1"')).toThrow(
      "env:NOT_SET_HERE: this variable is not set in mulligan's environment",
    )
  })

  it('is not repeated in the error when it is not an address', () => {
    expect(() => made('discord', 'webhook = "env:TOKEN"')).toThrow(
      'surface "s": its address must start with "https://" or "http://"',
    )
  })
})
