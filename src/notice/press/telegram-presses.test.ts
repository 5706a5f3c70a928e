import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BotApi, pressOf } from '../../../test/notice/bot-api.ts'
import { type Told, told } from '../../../test/notice/told.ts'
import { latestChanges } from '../../ledger/change.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { hearOnce, listenToTelegram, type PressableChat } from './telegram-presses.ts'

let telegram: BotApi
let time: FakeTime
let ledger: Told['ledger']
let chat: PressableChat
let notice: string
/** The data of the buttons of the message that was sent: mark as read, snooze. */
let buttons: string[]

beforeEach(async () => {
  telegram = await BotApi.start()
  telegram.isHasty = true
  time = new FakeTime()
  const toml = `name = "phone"\nkind = "telegram"\ntoken = "env:TOKEN"\nchat = "42"\nbuttons = true\ngather = "0s"\nbase_url = "${telegram.url}"`
  chat = { name: 'phone', token: '1:t', chat: '42', baseUrl: telegram.url }
  ;({ ledger, notice } = await told(toml, { TOKEN: '1:t' }, time))
  buttons = telegram.buttons()
})
afterEach(async () => {
  telegram.close()
  await ledger.close()
})

const hear = async (...updates: object[]) => {
  telegram.update(...updates)
  await hearOnce(chat, {
    ledger,
    time,
    signal: new AbortController().signal,
    onError: error => expect.fail(String(error)),
  })
  return telegram.asked('answerCallbackQuery').at(-1)
}
const current = async () => (await ledger.notices({ ids: [notice] })).items[0]

describe('a button on a message in Telegram', () => {
  it('marks it as read once, says so, and is recorded with who pressed it', async () => {
    expect(await hear(pressOf(buttons[0]))).toEqual({ callback_query_id: 'q1', text: 'Marked as read' })
    expect(await current()).toMatchObject({ readBy: 'Telegram user 42' })
    expect(telegram.asked('editMessageReplyMarkup')).toEqual([{ chat_id: '42', message_id: 77 }])
    expect(await latestChanges(ledger, 5)).toMatchObject([
      { by: 'Telegram user 42', via: 'button', action: 'mark as read', subject: notice },
    ])
    const before = await current()
    expect(await hear(pressOf(buttons[0], { update: 11, from: 43 }))).toMatchObject({
      text: 'Already read or resolved',
    })
    expect(await current()).toEqual(before)
    expect(await latestChanges(ledger, 5)).toHaveLength(1)
  })

  it('snoozes it for an hour, however often it is pressed', async () => {
    expect(await hear(pressOf(buttons[1]))).toMatchObject({ text: 'Snoozed for 1 hour' })
    const until = time.now() + 3_600_000
    expect(await current()).toMatchObject({ snoozedUntil: until })
    await time.advance(60_000)
    await hear(pressOf(buttons[1]))
    expect(await current()).toMatchObject({ snoozedUntil: until })
  })

  it.each([
    ['another chat', () => pressOf(buttons[0], { chat: 43 })],
    ['another message', () => pressOf(buttons[0], { message: 78 })],
    ['a message that was never sent', () => pressOf(`read:${'a'.repeat(24)}`)],
    ['another action', () => pressOf(buttons[0]?.replace('read', 'retry'))],
    ['no text', () => pressOf({ evil: true })],
    ['no press', () => ({ update_id: 5, message: { text: 'read' } })],
  ])('of %s does nothing', async (_, update) => {
    await hear(update())
    expect(await current()).not.toHaveProperty('readAt')
    expect(await latestChanges(ledger, 5)).toEqual([])
    expect(telegram.asked('editMessageReplyMarkup')).toEqual([])
  })

  it('counts only for the users of the config, if it names some', async () => {
    chat.users = ['7']
    await hear(pressOf(buttons[0], { from: 42 }))
    expect(await current()).not.toHaveProperty('readAt')
    await hear(pressOf(buttons[0], { from: 7 }))
    expect(await current()).toHaveProperty('readAt')
  })

  it('is heard once: the next question begins after it', async () => {
    await hear(pressOf(buttons[0], { update: 123 }))
    await hear()
    expect(telegram.asked('getUpdates').map(({ offset }) => offset)).toEqual([undefined, 124])
    expect(telegram.asked('getUpdates')[0]).toMatchObject({ allowed_updates: ['callback_query'] })
  })
})

it('listening says once that Telegram refuses, and ends with its signal', async () => {
  telegram.status = 409
  const stop = new AbortController()
  const errors: unknown[] = []
  const heard = listenToTelegram(chat, {
    ledger,
    time,
    signal: stop.signal,
    onError: error => errors.push(error),
  })
  await expect.poll(() => telegram.asked('getUpdates').length).toBe(1)
  await time.advance(5_000)
  await expect.poll(() => telegram.asked('getUpdates').length).toBe(2)
  stop.abort()
  await heard
  expect(errors).toHaveLength(1)
})
