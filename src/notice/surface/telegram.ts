import type { Message } from '../message.ts'
import { fitted, withoutMentions } from './escape.ts'
import { below, jsonOf, request } from './request.ts'
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
}

/** Posts plain text to Telegram. Without `parse_mode`, Telegram reads no markup, so nothing is escaped. */
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
