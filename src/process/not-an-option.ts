/**
 * Text for people or models, as a command-line argument. Prefixes a space if a program would take it for an option; readers
 * do not mind the space.
 */
export function notAnOption(text: string): string {
  return text.startsWith('-') ? ` ${text}` : text
}
