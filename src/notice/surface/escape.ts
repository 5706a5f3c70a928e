import { withoutControls } from '../../failure/text/printable.ts'
import { cut } from '../cut.ts'

/** A joiner without width: after it, no chat takes a name for a mention. */
const JOINER = '\u2060'

/** Plain text in which nobody is mentioned. For chats that look for mentions in plain text. */
export function withoutMentions(text: string): string {
  return withoutControls(text).replaceAll('@', `@${JOINER}`)
}

/** Text for Slack: with these three replaced, it finds no links, mentions or commands in it. */
export function slackText(text: string): string {
  return xmlText(withoutMentions(text))
}

/** Text for what reads markup with tags. */
export function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Text that means only itself in Markdown, of Discord, GitHub, Gitea and Obsidian. */
export function markdownText(text: string): string {
  return withoutMentions(text).replaceAll(/[\\`*_~|[\](){}#<>!$%^&=+-]/g, '\\$&')
}

/** A block of code, which holds data as it is: its fence is longer than any within. */
export function fenced(text: string): string {
  const clean = withoutControls(text)
  const longest = Math.max(2, ...[...clean.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${clean}\n${fence}`
}

/** Escaped text of at most so many characters: what is cut is the data, never an escape. */
export function fitted(text: string, most: number, escaping: (text: string) => string): string {
  let room = Math.min(text.length, most)
  for (;;) {
    const escaped = escaping(cut(text, room))
    if (escaped.length <= most || room === 0) return escaped
    room = Math.max(0, Math.min(room - 1, Math.floor((room * most) / escaped.length)))
  }
}
