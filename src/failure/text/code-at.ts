const { charCodeAt } = String.prototype

/**
 * The UTF-16 unit at a place within the text. For loops: V8 keeps strings in many forms, and once a loop has met five of them,
 * `text.charCodeAt` looks up the method for each character, which takes four times as long. A place outside of the text, asked for
 * once, would make all calls as slow.
 */
export function codeAt(text: string, at: number): number {
  return charCodeAt.call(text, at)
}
