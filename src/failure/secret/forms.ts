/** Below this many characters a value stands in too many other words to be looked for in coded forms. */
const SHORT = 4

/** A secret as it may look in what programs print: as it is, in JSON, in an address, in base64. */
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

/** Half of a surrogate pair cannot be encoded, nor sent. */
function encoded(secret: string): string {
  return secret.isWellFormed() ? encodeURIComponent(secret) : ''
}
