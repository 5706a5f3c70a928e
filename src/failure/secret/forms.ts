/** Shorter values occur in too many other words to be searched for in encoded forms. */
const SHORT = 4

/** The forms a secret can take in printed text: as is, in JSON, in a URL, in base64. */
export function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    secret.trim(),
    JSON.stringify(secret).slice(1, -1),
    encoded(secret),
    ...(secret.length < SHORT ? [] : [bytes.toString('base64'), bytes.toString('base64url')]),
  ].filter(form => form !== '')
}

/** A lone surrogate cannot be encoded, nor sent. */
function encoded(secret: string): string {
  return secret.isWellFormed() ? encodeURIComponent(secret) : ''
}
