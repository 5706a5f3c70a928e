/**
 * Characters that are invisible, or change how their neighbours look: control characters, including
 * terminal escapes, and direction marks. Tabs and line breaks may stay.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g

/** A text from outside with its invisible characters written as codes, such as `\u202e`. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
