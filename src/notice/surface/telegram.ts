import type { Message } from '../message.ts'
import { fitted, withoutMentions } from './escape.ts'
import { below, jsonOf, request } from './request.ts'
import type { Surface } from './surface.ts'

/** The longest text that Telegram takes. */
const LONGEST = 4_096

/** A chat at Telegram, told by a bot. */
export interface TelegramSettings {
  /** Of the bot. It stands in the address, as the API wants it. */
  token: string
  /** Id of a chat, or `@name` of a channel. */
  chat: string
  /** Default that of Telegram. */
  baseUrl?: string | undefined
}

/** Without `parse_mode`, Telegram takes a text as it is: nothing has to be escaped. */
export function telegramSurface({ token, chat, baseUrl }: TelegramSettings): Surface {
  const url = below(baseUrl ?? 'https://api.telegram.org', `/bot${token}/sendMessage`)
  return {
    kind: 'telegram',
    send: async (message, { signal }) => {
      const answer = await request({
        title: 'Telegram',
        url,
        body: {
          chat_id: chat,
          text: fitted(textOf(message), LONGEST, withoutMentions),
          link_preview_options: { is_disabled: true },
          disable_notification: message.priority === 'low',
        },
        signal,
      })
      const { result } = (jsonOf(answer) ?? {}) as { result?: { message_id?: unknown } }
      return typeof result?.message_id === 'number' ? { reference: `message ${result.message_id}` } : {}
    },
  }
}

function textOf({ title, text }: Message): string {
  return text === '' ? title : `${title}\n\n${text}`
}
