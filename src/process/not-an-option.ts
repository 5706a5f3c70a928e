/**
 * A text for people or models as an argument: with a blank before it where a program would take it for an option. No
 * reader minds the blank.
 */
export function notAnOption(text: string): string {
  return text.startsWith('-') ? ` ${text}` : text
}
