import type { LabRequest } from './request.ts'

/** Everything a reply may depend on, so the same requests get the same replies. */
export interface Facts {
  request: LabRequest
  /** Epoch milliseconds. */
  now: number
  /** How long limits ask to wait, in milliseconds. */
  waitMs: number
  /** How long a used-up window stays closed, in milliseconds. Default 3 h, as with subscriptions. */
  windowMs?: number
}

/** An id in the vendor's style, the same for the same request. */
export function idOf(prefix: string, { request }: Facts): string {
  return `${prefix}lab${String(request.number).padStart(8, '0')}`
}

/** Roughly what a tokenizer would count. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4)
}

/** RFC 3339 without fractions, as vendors write it. */
export function rfc3339(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** A duration as Go prints it, like OpenAI and Google do: "6m0s", "1h2m3s", "12.5s". */
export function goDuration(ms: number): string {
  const hours = Math.floor(ms / 3_600_000)
  const minutes = Math.floor((ms % 3_600_000) / 60_000)
  const seconds = Number(((ms % 60_000) / 1_000).toFixed(3))
  return `${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds}s`
}
