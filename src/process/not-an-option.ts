/**
 * Text for people or models as an argument: with a leading space if a program would take it for an option. Readers do not
 * mind the space.
 */
export function notAnOption(text: string): string {
  return text.startsWith('-') ? ` ${text}` : text
}
