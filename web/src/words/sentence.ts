/** A message of the daemon as a sentence: in a terminal it continues a line. A name or an id at its start stays as it is. */
export function sentence(message: string): string {
  return message.replace(/^[a-z]+(?= )/, word => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
}
