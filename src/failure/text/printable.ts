/**
 * Characters that are invisible but that a terminal obeys: control characters, marks that change the writing direction,
 * zero-width spaces. Line breaks and tabs are kept.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** Removes invisible characters. Runs before redaction, because a zero-width space would split a key. */
export function withoutControls(text: string): string {
  if (!/[^ -~\n\t]/.test(text)) return text
  return text.replace(ESCAPES, '').replace(UNSEEN, '')
}

const ESCAPES = /\x1b(?:\[[0-9;?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\))/g

/** Anything but printable ASCII with single spaces. */
const UNEVEN = /[^ -~]| {2}/

/** Puts a text on one line, with single spaces. */
export function oneLine(text: string): string {
  if (!UNEVEN.test(text)) return text.trim()
  return withoutControls(text).replace(/\s+/g, ' ').trim()
}
