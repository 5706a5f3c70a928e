import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SocketMode, slackPress } from '../../../test/notice/socket-mode.ts'
import { type Told, told } from '../../../test/notice/told.ts'
import { latestChanges } from '../../ledger/change.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { listenToSlack, type PressableChannel } from './slack-presses.ts'

let slack: SocketMode
let time: FakeTime
let ledger: Told['ledger']
let notice: string
let channel: PressableChannel
let buttons: string[]
let stop: AbortController
let errors: unknown[]
let listening: Promise<void>

beforeEach(async () => {
  slack = await SocketMode.start()
  time = new FakeTime()
  const toml = `name = "team"\nkind = "slack"\ntoken = "env:BOT"\napp_token = "env:APP"\nchat = "#ops"\nbuttons = true\ngather = "0s"\nbase_url = "${slack.url}"`
  ;({ ledger, notice } = await told(toml, { BOT: 'bot', APP: 'app' }, time))
  channel = { name: 'team', token: 'bot', appToken: 'app', baseUrl: slack.url }
  buttons = slack.buttons()
  stop = new AbortController()
  errors = []
})
afterEach(async () => {
  stop.abort()
  await listening
  slack.close()
  await ledger.close()
})

function listen(): void {
  listening = listenToSlack(channel, {
    ledger,
    time,
    signal: stop.signal,
    onError: error => errors.push(error),
  })
}
const current = async () => (await ledger.notices({ ids: [notice] })).items[0]
/** Sends an envelope, and returns what the person was told, once it is confirmed. */
const press = async (envelope: object) => {
  if (listening === undefined || slack.connections === 0) listen()
  await expect.poll(() => slack.isHeard).toBe(true)
  const before = slack.said.length
  slack.send(envelope)
  await expect.poll(() => slack.said.length).toBe(before + 1)
}
const lastAnswer = () => slack.asked('chat.postEphemeral').at(-1)?.body

describe('a button on a message in Slack', () => {
  it('marks it as read once, says so, goes away, and is recorded with who pressed it', async () => {
    await press(slackPress(buttons[0]))
    expect(slack.said).toEqual([{ envelope_id: 'e1' }])
    expect(await current()).toMatchObject({ readBy: 'Slack user U42' })
    await expect.poll(lastAnswer).toEqual({ channel: 'C1', user: 'U42', text: 'Marked as read' })
    await expect
      .poll(() => slack.asked('chat.update').map(({ body }) => body))
      .toEqual([{ channel: 'C1', ts: '77.1', text: 'report failed', blocks: [{ type: 'section' }] }])
    expect(await latestChanges(ledger, 5)).toMatchObject([
      { by: 'Slack user U42', via: 'button', action: 'mark as read', subject: notice },
    ])
    await press(slackPress(buttons[0], { user: 'U43', id: 'e2' }))
    await expect.poll(lastAnswer).toMatchObject({ user: 'U43', text: 'Already read or resolved' })
    expect(await latestChanges(ledger, 5)).toHaveLength(1)
  })

  it('snoozes it for an hour', async () => {
    await press(slackPress(buttons[1]))
    expect(await current()).toMatchObject({ snoozedUntil: time.now() + 3_600_000 })
    await expect.poll(lastAnswer).toMatchObject({ text: 'Snoozed for 1 hour' })
    expect(slack.asked('chat.update')).toEqual([])
  })

  it.each([
    ['another message', () => slackPress(buttons[0], { ts: '78.1' })],
    ['no message', () => slackPress(buttons[0], { ts: null })],
    ['a message that was never sent', () => slackPress(`read:${'a'.repeat(24)}`)],
    ['another action', () => slackPress(buttons[0]?.replace('read', 'retry'))],
    ['another kind of interaction', () => slackPress(buttons[0], { type: 'shortcut' })],
    ['no text', () => slackPress({ evil: true })],
    ['nothing', () => ({ type: 'interactive', envelope_id: 'e1' })],
  ])('of %s does nothing, and is confirmed so that it does not come again', async (_, envelope) => {
    await press(envelope())
    expect(slack.said).toEqual([{ envelope_id: 'e1' }])
    expect(await current()).not.toHaveProperty('readAt')
    expect(await latestChanges(ledger, 5)).toEqual([])
  })

  it('counts only for the users of the config, if it names some', async () => {
    channel.users = ['U7']
    await press(slackPress(buttons[0]))
    expect(await current()).not.toHaveProperty('readAt')
    await press(slackPress(buttons[0], { user: 'U7', id: 'e2' }))
    expect(await current()).toHaveProperty('readAt')
  })
})

describe('listening to Slack', () => {
  it('opens its connection with the app-level token, and answers with the token of the bot', async () => {
    await press(slackPress(buttons[1]))
    await expect.poll(lastAnswer).toBeDefined()
    expect(slack.asked('apps.connections.open').map(({ token }) => token)).toEqual(['app'])
    expect(slack.asked('chat.postEphemeral').map(({ token }) => token)).toEqual(['bot'])
  })

  it('goes on through a new connection if Slack asks for it, hangs up or half an hour has passed', async () => {
    listen()
    const connected = (count: number) => expect.poll(() => slack.isHeard && slack.connections).toBe(count)
    await connected(1)
    await time.advance(5_000)
    slack.send({ type: 'disconnect', reason: 'refresh_requested' })
    await connected(2)
    await time.advance(5_000)
    slack.hangUp()
    await connected(3)
    await time.advance(1_800_000)
    await connected(4)
    slack.send('no JSON')
    slack.send('null')
    await press(slackPress(buttons[0]))
    expect(await current()).toHaveProperty('readAt')
    expect(errors).toEqual([])
  })

  it('is not confirmed while the ledger cannot take it, so that Slack sends it again', async () => {
    const find = ledger.find.bind(ledger)
    let faults = 1
    ledger.find = (...of) => (faults-- > 0 ? Promise.reject(new Error('disk full')) : find(...of))
    listen()
    await expect.poll(() => slack.isHeard).toBe(true)
    slack.send(slackPress(buttons[0]))
    await expect.poll(() => errors).toHaveLength(1)
    expect(slack.said).toEqual([])
    await press(slackPress(buttons[0]))
    expect(await current()).toHaveProperty('readAt')
  })

  it('takes no connection for a short one because the clock was set back', async () => {
    listen()
    await expect.poll(() => slack.isHeard).toBe(true)
    await time.advance(5_000)
    time.jump(-3_600_000)
    slack.hangUp()
    await expect.poll(() => slack.connections).toBe(2)
    expect(errors).toEqual([])
  })

  it.each([
    ['hangs up', () => slack.hangUp()],
    ['asks for another', () => slack.send({ type: 'disconnect', reason: 'refresh_requested' })],
  ])('waits before the next connection if Slack %s as soon as one is open', async (_, end) => {
    listen()
    await expect.poll(() => slack.isHeard).toBe(true)
    end()
    await expect.poll(() => String(errors)).toContain('as soon as they are open')
    expect(slack.connections).toBe(1)
    await time.advance(5_000)
    await expect.poll(() => slack.connections).toBe(2)
  })

  it('does not wait for a greeting that never comes', async () => {
    slack.greets = false
    listen()
    await expect.poll(() => slack.isHeard).toBe(true)
    await time.advance(15_000)
    await expect.poll(() => String(errors)).toContain('does not greet')
  })

  it('takes no address without encryption from Slack itself', async () => {
    const real = globalThis.fetch
    const answer = { ok: true, url: slack.url.replace('http', 'ws') }
    globalThis.fetch = () => Promise.resolve(Response.json(answer))
    try {
      channel.baseUrl = undefined
      listen()
      await expect.poll(() => String(errors)).toContain('no address to listen at')
      expect(slack.connections).toBe(0)
    } finally {
      globalThis.fetch = real
    }
  })

  it('says once that Slack refuses, tries again later, and ends with its signal', async () => {
    slack.refusal = 'not_allowed_token_type'
    listen()
    await expect.poll(() => slack.asked('apps.connections.open').length).toBe(1)
    await expect.poll(() => errors.length).toBe(1)
    await time.advance(5_000)
    await expect.poll(() => slack.asked('apps.connections.open').length).toBe(2)
    stop.abort()
    await listening
    expect(String(errors)).toContain('not_allowed_token_type')
    expect(errors).toHaveLength(1)
  })

  it('says that Socket Mode is off', async () => {
    listen()
    await expect.poll(() => slack.isHeard).toBe(true)
    slack.send({ type: 'disconnect', reason: 'link_disabled' })
    await expect.poll(() => String(errors)).toContain('Socket Mode is off')
  })
})
