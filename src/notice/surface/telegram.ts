import { isSuccess } from '../../capability/kind/request.ts'
import type { Message } from '../message.ts'
import { buttonsOf } from './button.ts'
import { fitted, withoutMentions } from './escape.ts'
import { numberIn, referenceTo } from './reference.ts'
import { ask, below, jsonOf, refused, request } from './request.ts'
import type { Surface } from './surface.ts'

/** Longest message that Telegram accepts, in characters. */
const LONGEST = 4_096

/** A Telegram chat, reached by a bot. */
export interface TelegramSettings {
  /** Token of the bot. The API takes it as part of the address. */
  token: string
  /** Id of a chat, or `@name` of a channel. */
  chat: string
  /** Default `https://api.telegram.org`. */
  baseUrl?: string | undefined
  /** Whether messages that need action have buttons. Default no. */
  buttons?: boolean
}

/** Posts plain text to Telegram. Without `parse_mode`, Telegram reads no markup, so nothing is escaped. */
export function telegramSurface({ token, chat, baseUrl, buttons = false }: TelegramSettings): Surface {
  const url = (method: string) => telegramUrl({ token, baseUrl }, method)
  const content = (message: Message) => ({
    chat_id: chat,
    text: fitted(textOf(message), LONGEST, withoutMentions),
    link_preview_options: { is_disabled: true },
    ...(buttons && message.needsAction ? { reply_markup: keyboardOf(message.id) } : {}),
  })
  return {
    kind: 'telegram',
    edit: async (message, reference, { signal }) => {
      const body = { ...content(message), message_id: Number(numberIn(reference)) }
      const answer = await ask({ title: 'Telegram', url: url('editMessageText'), body, signal })
      // An earlier try may have made the change.
      const isSame = answer.status === 400 && answer.body.includes('message is not modified')
      if (!isSuccess(answer) && !isSame) throw refused('Telegram', answer)
      return { reference }
    },
    check: async ({ signal }) => {
      await request({ title: 'Telegram', url: url('getChat'), body: { chat_id: chat }, signal })
      return {}
    },
    send: async (message, { signal }) => {
      const answer = await request({
        title: 'Telegram',
        url: url('sendMessage'),
        body: { ...content(message), disable_notification: message.priority === 'low' },
        signal,
      })
      const { result } = (jsonOf(answer) ?? {}) as { result?: { message_id?: unknown } }
      return typeof result?.message_id === 'number' ? { reference: referenceTo(result.message_id) } : {}
    },
  }
}

/** The address of a method of the bot API, which holds the token. */
export function telegramUrl(
  { token, baseUrl }: Pick<TelegramSettings, 'token' | 'baseUrl'>,
  method: string,
): string {
  return below(baseUrl ?? 'https://api.telegram.org', `/bot${token}/${method}`)
}

function keyboardOf(id: string) {
  return {
    inline_keyboard: [buttonsOf(id).map(({ title, value }) => ({ text: title, callback_data: value }))],
  }
}

function textOf({ title, text }: Message): string {
  return text === '' ? title : `${title}\n\n${text}`
}
