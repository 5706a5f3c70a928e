import type { HttpAnswer } from '../../capability/kind/request.ts'
import { WorkFailed } from '../../capability/work-failed.ts'
import type { Message } from '../message.ts'
import { fitted, slackText } from './escape.ts'
import { numberIn, referenceTo } from './reference.ts'
import { ask, below, jsonOf, refused, request } from './request.ts'
import type { Reached, SendContext, Sent, Surface } from './surface.ts'

/** Longest text that Slack does not truncate, in characters. */
const LONGEST = 4_000

/** A Slack channel, reached by an incoming webhook or by a bot token. */
export type SlackSettings =
  | { webhook: string }
  | { token: string; chat: string /** Default `https://slack.com/api`. */; baseUrl?: string | undefined }

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

async function whoIsBot(
  { token, baseUrl }: Extract<SlackSettings, { token: string }>,
  { signal }: SendContext,
): Promise<Reached> {
  const answer = await request({
    title: 'Slack',
    url: below(baseUrl ?? 'https://slack.com/api', '/auth.test'),
    headers: { authorization: `Bearer ${token}` },
    body: {},
    signal,
  })
  throwIfRefused(answer)
  return { notChecked: 'that the bot may post to the channel' }
}

async function throughWebhook(url: string, message: Message, { signal }: SendContext): Promise<Sent> {
  await request({ title: 'the webhook at Slack', url, body: contentOf(message), signal })
  return {}
}

async function throughBot(
  { token, chat, baseUrl }: Extract<SlackSettings, { token: string }>,
  method: 'chat.postMessage' | 'chat.update',
  which: { ts?: string },
  message: Message,
  { signal }: SendContext,
): Promise<Sent> {
  const answer = await request({
    title: 'Slack',
    url: below(baseUrl ?? 'https://slack.com/api', `/${method}`),
    headers: { authorization: `Bearer ${token}` },
    body: { channel: chat, ...which, ...contentOf(message) },
    signal,
  })
  throwIfRefused(answer)
  const { ts } = (jsonOf(answer) ?? {}) as { ts?: unknown }
  return typeof ts === 'string' ? { reference: referenceTo(ts) } : {}
}

/** Slack reports a refusal with status 200 and the reason in the body. */
function throwIfRefused(answer: HttpAnswer): void {
  const { ok, error } = (jsonOf(answer) ?? {}) as { ok?: unknown; error?: unknown }
  if (ok === false) throw new WorkFailed(`Slack refused: ${error}`, { ...answer, status: statusOf(error) })
}

function contentOf({ title, text }: Message): Record<string, unknown> {
  const whole = text === '' ? title : `${title}\n${text}`
  return {
    text: fitted(whole, LONGEST, slackText),
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
