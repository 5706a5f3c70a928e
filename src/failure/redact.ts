/** What stands in the place of a secret. */
export const REDACTED = '***REDACTED***'

interface Secret {
  /** A cheap test that has to pass before the pattern is tried, so that clean text costs next to nothing. */
  hint: RegExp
  pattern: RegExp
  /** Default: the whole match is replaced. */
  replace?: string
}

const PREFIX = `$1${REDACTED}`

/**
 * Secrets by their shape, most specific first. Every pattern has bounded repetition or a character class that
 * cannot match its own delimiter, so each is linear. Words around a secret stay: they decide the class.
 */
const SECRETS: readonly Secret[] = [
  {
    hint: /PRIVATE KEY/,
    pattern:
      /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
  },
  // URLs with credentials: the user and the password go, the host stays.
  {
    hint: /:\/\/[^\s/]{0,200}@/,
    pattern: /([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@'"]{1,400}@/gi,
    replace: `$1${REDACTED}@`,
  },
  // JSON web tokens.
  { hint: /eyJ/, pattern: /\beyJ[\w-]{8,4000}\.[\w-]{4,8000}(?:\.[\w-]{0,2000})?/g },
  { hint: /eyJ/, pattern: /\beyJ[\w-]{20,8000}/g },
  // Vendor prefixes: Anthropic, OpenAI and kin, Stripe, Groq, xAI, Perplexity, Fireworks, Cerebras, NVIDIA.
  {
    hint: /sk-|[srp]k_/,
    pattern: /\b(?:sk|pk|rk)[-_](?:ant-|proj-|or-|svcacct-|admin-|live_|test_|lf-)?[\w-]{12,400}/gi,
  },
  {
    hint: /gsk_|xai-|pplx-|fw_|csk-|nvapi-|r8_|hf_|co_/,
    pattern: /\b(?:gsk_|xai-|pplx-|fw_|csk-|nvapi-|r8_|hf_)[A-Za-z0-9_-]{12,200}/g,
  },
  { hint: /AIza|ya29\./, pattern: /\bAIza[\w-]{30,60}|\bya29\.[\w-]{20,400}|\bGOCSPX-[\w-]{20,60}/g },
  { hint: /A(?:KI|SI|RO|ID|NP)A/, pattern: /\b(?:AKIA|ASIA|AROA|AIDA|ANPA)[A-Z0-9]{12,24}\b/g },
  { hint: /gh[pousr]_|github_pat_/, pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{16,255}|github_pat_\w{20,255})/g },
  { hint: /gl(?:pat|ptt|dt|rt|soat|cbt|ft)-/, pattern: /\bgl(?:pat|ptt|dt|rt|soat|cbt|ft)-[\w-]{16,200}/g },
  { hint: /xox|xapp-/, pattern: /\bxox[abeoprs]-[\w-]{8,300}|\bxapp-[\w-]{8,300}/g },
  {
    hint: /hooks\.slack\.com/,
    pattern: /(hooks\.slack\.com\/(?:services|workflows)\/)[\w/-]{10,200}/g,
    replace: PREFIX,
  },
  { hint: /\d:AA/, pattern: /\b\d{6,12}:AA[\w-]{30,40}/g },
  { hint: /npm_/, pattern: /\bnpm_[A-Za-z0-9]{30,60}/g },
  {
    hint: /pypi-|dop_v1|shpat_|SG\./,
    pattern:
      /\bpypi-[\w-]{30,400}|\bdop_v1_[a-f0-9]{40,80}|\bshp(?:at|ss|ca|pa)_[a-f0-9]{20,64}|\bSG\.[\w-]{16,32}\.[\w-]{16,64}/g,
  },
  // Authorization headers; "Authorization: token X" and "X-Api-Key: X" are caught as key and value below.
  {
    hint: /bearer|basic/i,
    pattern:
      /\b((?:bearer|basic)\s{1,3})(?!(?:auth|token|authentication|credentials|realm|scheme|header)\b)[\w.~+/=-]{6,8000}/gi,
    replace: PREFIX,
  },
  {
    hint: /authorization/i,
    pattern:
      /\b((?:proxy-)?authorization\\?["']?\s{0,2}[:=]\s{0,2}\\?["']?(?:token|apikey|key|aws4-hmac-sha256)\s{1,3})[^\s"',\\]{4,8000}/gi,
    replace: PREFIX,
  },
  // key=value, key: value, "key": "value", also escaped; the key must name a secret, not a count of tokens.
  {
    hint: /key|token|secret|passw|pwd|credential|cookie|signature|auth/i,
    pattern:
      /((?:^|[^A-Za-z0-9])\\?["']?(?:[A-Za-z0-9]{1,40}[-_.])*(?:x-)?(?:api[-_]?key|apikey|access[-_]?key(?:[-_]?id)?|secret[-_]?(?:access[-_]?)?key|client[-_]?secret|private[-_]?key|auth[-_]?token|access[-_]?token|refresh[-_]?token|id[-_]?token|session[-_]?token|bearer[-_]?token|token|secret|password|passwd|passphrase|pwd|credentials?|set-cookie|cookie|sig|signature|x-amz-security-token)\\?["']?\s{0,3}(?:=|:(?!:))\s{0,3}\\?["']?)(?!\*\*\*REDACTED|(?:null|undefined|none|true|false|invalid|expired|missing|required|not|is|was|has|the|a|an|bearer|basic|token|failed|revoked|denied|limit|count|usage|error|incorrect|wrong|unknown|empty|must|should|please|refresh|your|could|cannot)\b)[^\s"',;&<>)}\]\\]{2,8000}/gim,
    replace: PREFIX,
  },
]

/** Replaces secrets in a text. Secrets that span what is cut off elsewhere must be redacted before cutting. */
export function redact(text: string): string {
  let clean = text
  for (const { hint, pattern, replace } of SECRETS) {
    if (hint.test(clean)) clean = clean.replace(pattern, replace ?? REDACTED)
  }
  return clean
}

/** True if redacting would change nothing: what is stored or shown has to pass. */
export function isRedacted(text: string): boolean {
  return redact(text) === text
}
