/** Where a message is, in a chat that numbers its messages. */
export function referenceTo(number: string | number): string {
  return `message ${number}`
}

/** The number in a reference made by {@link referenceTo}. */
export function numberIn(reference: string): string {
  return reference.slice(referenceTo('').length)
}
