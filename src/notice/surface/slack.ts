import type { HttpAnswer } from '../../capability/kind/request.ts'
import { WorkFailed } from '../../capability/work-failed.ts'
import type { Message } from '../message.ts'
import { buttonsOf } from './button.ts'
import { fitted, slackText, withoutMentions } from './escape.ts'
import { numberIn, referenceTo } from './reference.ts'
import { ask, below, jsonOf, refused, request } from './request.ts'
import type { Reached, SendContext, Sent, Surface } from './surface.ts'

/** Longest text that Slack does not truncate, in characters. */
const LONGEST = 4_000
/** Longest text of a block, in characters. */
const LONGEST_BLOCK = 3_000

/** A Slack channel, reached by an incoming webhook or by a bot token. */
export type SlackSettings =
  | { webhook: string }
  | (SlackAccess & {
      chat: string
      /** Whether messages that need action have buttons. Default no. */
      buttons?: boolean
    })

/** How Slack's API is reached. */
export interface SlackAccess {
  token: string
  /** Default `https://slack.com/api`. */
  baseUrl?: string | undefined
}

/** Posts plain text to Slack, with all markup escaped. */
export function slackSurface(settings: SlackSettings): Surface {
  return {
    kind: 'slack',
    send: (message, context) =>
      'webhook' in settings
        ? throughWebhook(settings.webhook, message, context)
        : throughBot(settings, 'chat.postMessage', {}, message, context),
    check: context =>
      'webhook' in settings ? lookAtWebhook(settings.webhook, context) : whoIsBot(settings, context),
    // An incoming webhook cannot change what it posted.
    ...('webhook' in settings
      ? {}
      : {
          edit: (message, reference, context) =>
            throughBot(settings, 'chat.update', { ts: numberIn(reference) }, message, context),
        }),
  }
}

/** Any answer but "no such webhook" and an error of the server means that it is there: it only takes POST. */
async function lookAtWebhook(url: string, { signal }: SendContext): Promise<Reached> {
  const title = 'the webhook at Slack'
  const answer = await ask({ title, url, signal })
  if ([403, 404, 410].includes(answer.status) || answer.status >= 500) throw refused(title, answer)
  return { notChecked: 'that the webhook takes messages' }
}

async function whoIsBot(access: SlackAccess, { signal }: SendContext): Promise<Reached> {
  await askSlack(access, 'auth.test', {}, signal)
  return { notChecked: 'that the bot may post to the channel' }
}

async function throughWebhook(url: string, message: Message, { signal }: SendContext): Promise<Sent> {
  await request({ title: 'the webhook at Slack', url, body: contentOf(message), signal })
  return {}
}

async function throughBot(
  { token, chat, baseUrl, buttons = false }: Extract<SlackSettings, { token: string }>,
  method: 'chat.postMessage' | 'chat.update',
  which: { ts?: string },
  message: Message,
  { signal }: SendContext,
): Promise<Sent> {
  const body = {
    channel: chat,
    ...which,
    ...contentOf(message),
    ...(buttons ? { blocks: blocksOf(message) } : {}),
  }
  const { ts } = (jsonOf(await askSlack({ token, baseUrl }, method, body, signal)) ?? {}) as { ts?: unknown }
  return typeof ts === 'string' ? { reference: referenceTo(ts) } : {}
}

/** Asks a method of Slack's API. Rejects if Slack refuses. */
export async function askSlack(
  { token, baseUrl }: SlackAccess,
  method: string,
  body: Record<string, unknown>,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const answer = await request({
    title: 'Slack',
    url: below(baseUrl ?? 'https://slack.com/api', `/${method}`),
    headers: { authorization: `Bearer ${token}` },
    body,
    signal,
  })
  throwIfRefused(answer)
  return answer
}

/** The text and its buttons. None for a message that needs no action, which also takes them away from an earlier one. */
function blocksOf(message: Message): object[] {
  if (!message.needsAction) return []
  const plain = (text: string) => ({ type: 'plain_text', text, emoji: false })
  return [
    { type: 'section', text: plain(fitted(wholeOf(message), LONGEST_BLOCK, withoutMentions)) },
    {
      type: 'actions',
      elements: buttonsOf(message.id).map(({ title, value }, index) => ({
        type: 'button',
        action_id: `mulligan-${index}`,
        text: plain(title),
        value,
      })),
    },
  ]
}

/** Slack reports a refusal with status 200 and the reason in the body. */
function throwIfRefused(answer: HttpAnswer): void {
  const { ok, error } = (jsonOf(answer) ?? {}) as { ok?: unknown; error?: unknown }
  if (ok === false) throw new WorkFailed(`Slack refused: ${error}`, { ...answer, status: statusOf(error) })
}

function wholeOf({ title, text }: Message): string {
  return text === '' ? title : `${title}\n${text}`
}

function contentOf(message: Message): Record<string, unknown> {
  return {
    text: fitted(wholeOf(message), LONGEST, slackText),
    mrkdwn: false,
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  }
}

/** The HTTP status that matches an error code of Slack. */
function statusOf(error: unknown): number {
  switch (error) {
    case 'ratelimited':
    case 'rate_limited':
      return 429
    case 'invalid_auth':
    case 'not_authed':
    case 'token_expired':
    case 'token_revoked':
    case 'account_inactive':
      return 401
    case 'fatal_error':
    case 'internal_error':
    case 'service_unavailable':
    case 'request_timeout':
      return 503
    case 'channel_not_found':
      return 404
    default:
      return 400
  }
}
