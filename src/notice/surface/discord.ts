import { fitted, markdownText } from './escape.ts'
import { jsonOf, request } from './request.ts'
import type { Surface } from './surface.ts'

/** The longest text that Discord takes. */
const LONGEST = 2_000
/** Shows no preview of links. */
const SUPPRESS_EMBEDS = 4

/** A channel at Discord, by the address of a webhook, which is a secret. */
export function discordSurface({ webhook }: { webhook: string }): Surface {
  const url = new URL(webhook)
  // Answers when the message is stored, and with its id.
  url.searchParams.set('wait', 'true')
  return {
    kind: 'discord',
    send: async ({ title, text }, { signal }) => {
      const whole = text === '' ? title : `${title}\n${text}`
      const answer = await request({
        title: 'the webhook at Discord',
        url: url.href,
        body: {
          content: fitted(whole, LONGEST, markdownText),
          allowed_mentions: { parse: [] },
          flags: SUPPRESS_EMBEDS,
        },
        signal,
      })
      const { id } = (jsonOf(answer) ?? {}) as { id?: unknown }
      return typeof id === 'string' ? { reference: `message ${id}` } : {}
    },
  }
}
