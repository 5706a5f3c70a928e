import { withoutControls } from '../../failure/text/printable.ts'
import { cut } from '../cut.ts'

/** A zero-width joiner. After "@" it keeps chats from seeing a mention. */
const JOINER = '\u2060'

/** Text without mentions, for chats that look for them in plain text. */
export function withoutMentions(text: string): string {
  return withoutControls(text).replaceAll('@', `@${JOINER}`)
}

/** Text for Slack, in which Slack finds no links, mentions or commands. */
export function slackText(text: string): string {
  return xmlText(withoutMentions(text))
}

/** Text escaped for XML and HTML. */
export function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Text escaped for the Markdown of Discord, GitHub, Gitea and Obsidian. */
export function markdownText(text: string): string {
  return withoutMentions(text).replaceAll(/[\\`*_~|[\](){}#<>!$%^&=+-]/g, '\\$&')
}

/** A code block that holds any text unchanged: its fence is longer than any inside. */
export function fenced(text: string): string {
  const clean = withoutControls(text)
  const longest = Math.max(2, ...[...clean.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${clean}\n${fence}`
}

/** Escapes a text into at most `most` characters. Cuts the text before escaping, so no escape is cut in half. */
export function fitted(text: string, most: number, escaping: (text: string) => string): string {
  let room = Math.min(text.length, most)
  for (;;) {
    const escaped = escaping(cut(text, room))
    if (escaped.length <= most || room === 0) return escaped
    room = Math.max(0, Math.min(room - 1, Math.floor((room * most) / escaped.length)))
  }
}
