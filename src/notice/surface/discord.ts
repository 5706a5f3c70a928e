import type { Message } from '../message.ts'
import { fitted, markdownText } from './escape.ts'
import { numberIn, referenceTo } from './reference.ts'
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
  const content = ({ title, text }: Message) => ({
    content: fitted(text === '' ? title : `${title}\n${text}`, LONGEST, markdownText),
    allowed_mentions: { parse: [] },
    flags: SUPPRESS_EMBEDS,
  })
  return {
    kind: 'discord',
    edit: async (message, reference, { signal }) => {
      const place = new URL(webhook)
      place.pathname = `${place.pathname.replace(/\/+$/, '')}/messages/${encodeURIComponent(numberIn(reference))}`
      const title = 'the webhook at Discord'
      await request({ title, url: place.href, method: 'PATCH', body: content(message), signal })
      return { reference }
    },
    check: async ({ signal }) => {
      // Asked with GET, a webhook says what it is and posts nothing.
      await request({ title: 'the webhook at Discord', url: webhook, signal })
      return {}
    },
    send: async (message, { signal }) => {
      const answer = await request({
        title: 'the webhook at Discord',
        url: url.href,
        body: content(message),
        signal,
      })
      const { id } = (jsonOf(answer) ?? {}) as { id?: unknown }
      return typeof id === 'string' ? { reference: referenceTo(id) } : {}
    },
  }
}
