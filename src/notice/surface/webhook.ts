import { createHmac } from 'node:crypto'
import { messageToJson } from '../message.ts'
import { ask, refused, request } from './request.ts'
import type { Surface, SurfaceHost } from './surface.ts'

/** A receiver that the user runs. */
export interface WebhookSettings {
  url: string
  /** Key that signs requests. Default: not signed. */
  secret?: string | undefined
}

/**
 * Posts the message as JSON. `Mulligan-Delivery` is the same in every try, so the receiver can drop duplicates;
 * `Mulligan-Signature` signs timestamp and body, so a request can be neither forged nor replayed later.
 */
export function webhookSurface({ url, secret }: WebhookSettings, { now }: Pick<SurfaceHost, 'now'>): Surface {
  return {
    kind: 'webhook',
    check: async ({ signal }) => {
      const answer = await ask({ title: 'the webhook', url, method: 'HEAD', signal })
      // A receiver need not know HEAD; but one that is not there does not take messages either.
      if ([404, 410].includes(answer.status) || answer.status >= 500) throw refused('the webhook', answer)
      return { notChecked: 'that it takes messages' }
    },
    send: async (message, { signal }) => {
      const body = JSON.stringify(messageToJson(message))
      const timestamp = String(Math.floor(now() / 1_000))
      await request({
        title: 'the webhook',
        url,
        headers: {
          'content-type': 'application/json',
          'mulligan-delivery': message.id,
          'idempotency-key': message.id,
          'mulligan-timestamp': timestamp,
          ...(secret === undefined ? {} : { 'mulligan-signature': signatureOf(secret, timestamp, body) }),
        },
        body,
        signal,
      })
      return {}
    },
  }
}

/** `sha256=` and the HMAC of `TIMESTAMP.BODY`, in hex. A receiver computes the same and compares in constant time. */
export function signatureOf(secret: string, timestamp: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`
}
