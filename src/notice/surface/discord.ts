import { fitted, markdownText } from './escape.ts'
import { jsonOf, request } from './request.ts'
import type { Surface } from './surface.ts'

/** Longest message that Discord accepts, in characters. */
const LONGEST = 2_000
/** Message flag: no link previews. */
const SUPPRESS_EMBEDS = 4

/** Posts to a Discord channel through a webhook, whose address is a secret. */
export function discordSurface({ webhook }: { webhook: string }): Surface {
  const url = new URL(webhook)
  // Makes Discord answer after it stored the message, with the message id.
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
