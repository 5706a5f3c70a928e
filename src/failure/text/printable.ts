/**
 * Characters that a reader does not see and a terminal obeys: controls, marks that turn the direction of
 * writing, blanks without width. Line breaks and tabs stay.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** A text without what cannot be seen. Before redacting: a blank without width would split a key. */
export function withoutControls(text: string): string {
  if (!/[^ -~\n\t]/.test(text)) return text
  return text.replace(ESCAPES, '').replace(UNSEEN, '')
}

const ESCAPES = /\x1b(?:\[[0-9;?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\))/g

/** Anything but letters, digits and signs of ASCII with single blanks between them. */
const UNEVEN = /[^ -~]| {2}/

/** As one line, single blanks between words. */
export function oneLine(text: string): string {
  if (!UNEVEN.test(text)) return text.trim()
  return withoutControls(text).replace(/\s+/g, ' ').trim()
}
