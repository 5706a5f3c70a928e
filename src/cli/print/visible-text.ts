import { StringDecoder } from 'node:string_decoder'

/**
 * Characters that control a terminal or are invisible: C0 and C1 controls except tab and line break, marks that change
 * the writing direction, separators that look like line breaks, and tag characters.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu

/**
 * Text for a terminal. Control characters are escaped, such as `\u001b`, so they are visible and harmless; JSON keeps its
 * meaning. A carriage return becomes a line break, so no line can be overwritten.
 */
export function visibleText(text: string): string {
  if (!/[^ -~\n\t]/.test(text)) return text
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(UNSEEN, writtenOut)
}

function writtenOut(char: string): string {
  let written = ''
  for (let at = 0; at < char.length; at++)
    written += `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`
  return written
}

/** Like {@link visibleText}, for chunks of bytes that may end inside a character or a line break. */
export class VisibleBytes {
  readonly #decoder = new StringDecoder('utf8')
  #endsInReturn = false

  push(chunk: Buffer): string {
    const text = this.#decoder.write(chunk)
    if (text === '') return ''
    const rest = this.#endsInReturn && text.startsWith('\n') ? text.slice(1) : text
    this.#endsInReturn = text.endsWith('\r')
    return visibleText(rest)
  }
}
