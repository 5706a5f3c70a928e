import type { Span } from '../redact.ts'
import { looksRandom } from './random.ts'

/** Only runs of at least this many key characters are searched. Prose has few of them, so this costs little. */
const LEAST_RUN = 15

/** Prefixes by which issuers mark their keys, with the minimum length of the rest. Any case. */
const PREFIXED: readonly (readonly [string, number])[] = [
  // Anthropic, OpenAI, OpenRouter, DeepSeek, Moonshot, Langfuse and similar; Stripe, ElevenLabs, Clerk.
  ['(?:ctx7)?(?:sk|pk|rk|sess)-(?:ant-|proj-|or-|svcacct-|admin-|lf-)?', 16],
  ['(?:sk|pk|rk|ak|bb|whsec|mk)_(?:live|test|prod)_', 10],
  ['sk_', 20],
  ['whsec_', 16],
  // Model vendors and hosts: Groq, xAI, Perplexity, Cerebras, NVIDIA, Hugging Face, Replicate, Fireworks,
  // Together, Jina, Tavily, E2B, Firecrawl.
  ['(?:gsk|r8|hf|api_org|fw|tgp_v1|jina|e2b)_', 16],
  ['(?:xai|pplx|csk|nvapi|tvly(?:-dev|-prod)?)-', 20],
  ['fc-', 32],
  // Code hosts and registries: GitHub, GitLab, npm, PyPI, Docker, crates, RubyGems.
  ['(?:gh[pousr]|github_pat|npm|dckr_pat|dckr_oat|cio|rubygems)_', 16],
  ['gl(?:pat|ptt|dt|rt|soat|cbt|ft|agent|imt|oas)-', 16],
  ['pypi-', 16],
  // Chat, work and mail: Slack, Linear, Notion, Figma, Asana, Postman, Resend, SendGrid, Mailgun, HubSpot.
  ['xox[abceoprs]-|xapp-', 8],
  ['(?:lin_api|lin_oauth|ntn|figd|figo|re)_', 16],
  ['secret_', 32],
  ['PMAK-|pat-(?:na|eu)\\d-|key-', 24],
  [String.raw`SG\.`, 20],
  // Clouds and tools: Vault, Databricks, Supabase, DigitalOcean, Shopify, Grafana, Sentry, Pulumi, Fly, Render,
  // New Relic, Doppler, Terraform, Square, Google.
  [String.raw`hv[sbr]\.`, 16],
  ['(?:sbp|sb_secret|do[opr]_v1|shp(?:at|ss|ca|pa)|glsa|glc|sntry[su]|rnd|fo1|fm[12]|phx|ops)_', 16],
  [String.raw`(?:pul|NRAK|NRJS|sq0[a-z]{3}|GOCSPX|tskey-[a-z]{2,10})-|dp\.(?:pt|st|ct|sa|scim|audit)\.`, 20],
  [String.raw`ya29\.|1//0`, 20],
]

/** Prefixes made only of letters: their case tells them from words. */
const CASED =
  /^(?:AIza[\w-]{30,}|(?:AKIA|ASIA|AROA|AIDA|ANPA|ABIA|ACCA)[A-Z0-9]{12,}|LTAI[A-Za-z0-9]{12,}|AKID[A-Za-z0-9]{28,}|ABSK[\w+/=]{30,}|dapi[a-f0-9]{32}|ATATT3[\w=-]{20,}|ATCTT3[\w=-]{20,}|EAA[A-Za-z0-9]{30,}|(?:bot)?\d{6,12}:A[\w-]{30,}|eyJ[\w-]{8,}(?:\.[\w-]+)*)/

const STARTS = new RegExp(`(?:${PREFIXED.map(([prefix]) => `(${prefix})`).join('|')})`, 'iy')
/** Where a key can begin inside a run: not after a letter, a digit or `_`. */
const INNER_START = /[.:+/=~-][A-Za-z0-9]/g
/** A run with more possible starts than this is a path or a chain of words; the rest is skipped. */
const MOST_STARTS = 64

/**
 * Finds keys by their prefix, anywhere in a text. Reads only every fifteenth character, and from there back to the start of
 * the run.
 */
export function tokensIn(text: string, spans: Span[]): void {
  let outside = -1
  for (let at = LEAST_RUN - 1; at < text.length; at = outside + LEAST_RUN) {
    const before = outside
    for (outside = at; outside > before && isRunPart(text.charCodeAt(outside)); outside--);
    if (outside > before) continue
    let end = at + 1
    while (end < text.length && isRunPart(text.charCodeAt(end))) end++
    if (mayHoldKey(text, before + 1, end)) keysIn(text.slice(before + 1, end), before + 1, spans)
    outside = end
  }
}

/** Every key has a digit, or both lower case and capitals; most paths and names do not. */
function mayHoldKey(text: string, from: number, to: number): boolean {
  let isLower = false
  let isUpper = false
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code >= 48 && code <= 57) return true
    if (code >= 97 && code <= 122) isLower = true
    else if (code >= 65 && code <= 90) isUpper = true
  }
  return isLower && isUpper
}

/** @param index where the run begins in its text */
function keysIn(run: string, index: number, spans: Span[]): void {
  let from = endOfKey(run, 0)
  if (from > 0) spans.push({ start: index, end: index + from })
  let left = MOST_STARTS
  INNER_START.lastIndex = Math.max(0, from - 1)
  for (let next = INNER_START.exec(run); next && left > 0; next = INNER_START.exec(run), left--) {
    const start = next.index + 1
    if (start >= from) {
      const end = endOfKey(run, start)
      if (end > start) {
        spans.push({ start: index + start, end: index + end })
        from = end
      }
    }
    INNER_START.lastIndex = Math.max(start, from - 1)
  }
}

/** Letters, digits and . : + / = ~ - _ */
function isRunPart(code: number): boolean {
  if (code >= 97) return code <= 122 || code === 126
  if (code >= 65) return code <= 90 || code === 95
  return (code >= 45 && code <= 58) || code === 43 || code === 61
}

/** The characters of keys after their prefix. */
const BODY = /[\w-]*(?:\.[\w-]{16,})*[+/=]*/y

/** The start of a JSON web token: `eyJ` and eight characters. */
const SHORTEST_KEY = 11

/** The end of the key that begins at `start`; `start` if there is none. */
function endOfKey(run: string, start: number): number {
  if (run.length - start < SHORTEST_KEY) return start
  const cased = CASED.exec(start === 0 ? run : run.slice(start, start + 8_192))
  if (cased && looksRandom(cased[0], 0)) return endOfWord(run, start + cased[0].length)
  STARTS.lastIndex = start
  const match = STARTS.exec(run)
  if (!match) return start
  const least = (
    PREFIXED[match.findIndex((group, at) => at > 0 && group !== undefined) - 1] as [string, number]
  )[1]
  BODY.lastIndex = start + match[0].length
  const body = BODY.exec(run)?.[0] ?? ''
  return body.length >= least && isKeyBody(body)
    ? endOfWord(run, start + match[0].length + body.length)
    : start
}

/** Includes what is glued to a key: nothing after the marker may look like the start of another key. */
function endOfWord(run: string, from: number): number {
  let end = from
  while (end < run.length && /[\w-]/.test(run[end] as string)) end++
  return end
}

/** Words joined by `_` or `-` are a name; one long piece with digits is a key. */
function isKeyBody(body: string): boolean {
  return (
    body.split(/[-_.]/, 32).some(piece => looksRandom(piece, 8)) ||
    (looksRandom(body, 24) && /\d{2}/.test(body))
  )
}
