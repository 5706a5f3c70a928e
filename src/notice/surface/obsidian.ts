import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { isSuccess } from '../../capability/kind/request.ts'
import { oneLine } from '../../failure/text/printable.ts'
import type { Message } from '../message.ts'
import { fenced, markdownText } from './escape.ts'
import { markerOf } from './marker.ts'
import { ask, below, refused, request } from './request.ts'
import type { SendContext, Surface } from './surface.ts'
import { VaultFile } from './vault-file.ts'

/** A note in a vault, written as a file or through the Local REST API plugin. */
export type ObsidianSettings = { note: string } & (
  | { vault: string }
  | { token: string /** Default `http://127.0.0.1:27123`, the plugin's. */; baseUrl?: string | undefined }
)

/** Access to a note, as a file or through the plugin. */
interface Note {
  /** Rejects if its vault cannot be written or the plugin does not answer. */
  reach(context: SendContext): Promise<void>
  append(text: string, context: SendContext): Promise<void>
  /** The text of the note; undefined if it does not exist. */
  read(context: SendContext): Promise<string | undefined>
  /** Replaces the whole text. */
  write(change: (text: string) => string, context: SendContext): Promise<void>
}

/** Appends to a note. A comment, which Obsidian hides, identifies the message. */
export function obsidianSurface(settings: ObsidianSettings): Surface {
  const note = 'vault' in settings ? noteInFolder(settings) : noteInApp(settings)
  return {
    kind: 'obsidian',
    send: async (message, context) => {
      await note.append(blockOf(message), context)
      return { reference: settings.note }
    },
    verify: async (message, context) => {
      const text = await note.read(context)
      return text?.includes(markerOf(message)) ? { state: 'done', value: settings.note } : 'absent'
    },
    check: async context => {
      await note.reach(context)
      return {}
    },
    edit: async (message, reference, context) => {
      await note.write(text => withResolution(text, message), context)
      return { reference }
    },
  }
}

/** The note with a line that the message is resolved, once; everything else stays as it is. */
function withResolution(text: string, message: Message): string {
  const { resolved } = message
  const marker = `%% ${markerOf(message)} %%`
  const place = text.lastIndexOf(marker)
  if (resolved === undefined || place < 0) return text
  const at = new Date(resolved.at).toISOString().slice(0, 16).replace('T', ' ')
  const line = `Resolved ${at} UTC: ${markdownText(oneLine(resolved.why))}\n\n`
  const before = text.slice(0, place)
  return before.endsWith(line) ? text : `${before}${line}${text.slice(place)}`
}

function blockOf(message: Message): string {
  const at = new Date(message.at).toISOString().slice(0, 16).replace('T', ' ')
  const title = markdownText(oneLine(message.title))
  const text = message.text === '' ? '' : `${fenced(message.text)}\n\n`
  return `\n## ${at} UTC: ${title}\n\n${text}%% ${markerOf(message)} %%\n`
}

function noteInFolder({ vault, note }: { vault: string; note: string }): Note {
  const file = new VaultFile(vault, note)
  return {
    reach: () => access(vault, constants.W_OK),
    append: text => file.append(text),
    read: () => file.tail(),
    write: change => file.change(change),
  }
}

function noteInApp({
  token,
  note,
  baseUrl,
}: {
  token: string
  note: string
  baseUrl?: string | undefined
}): Note {
  const path = note.split('/').map(encodeURIComponent).join('/')
  const asked = {
    title: 'Obsidian',
    url: below(baseUrl ?? 'http://127.0.0.1:27123', `/vault/${path}`),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/markdown', accept: 'text/markdown' },
  }
  return {
    reach: async ({ signal }) => {
      const answer = await ask({ ...asked, method: 'GET', signal })
      // The first message creates the note.
      if (!isSuccess(answer) && answer.status !== 404) throw refused(asked.title, answer)
    },
    append: async (text, { signal }) => {
      await request({ ...asked, method: 'POST', body: text, signal })
    },
    read: async ({ signal }) => {
      const answer = await ask({ ...asked, method: 'GET', signal })
      if (answer.status === 404) return undefined
      if (!isSuccess(answer)) throw refused(asked.title, answer)
      return answer.body
    },
    write: async (change, { signal }) => {
      const answer = await ask({ ...asked, method: 'GET', signal })
      if (answer.status === 404) return
      if (!isSuccess(answer)) throw refused(asked.title, answer)
      const changed = change(answer.body)
      if (changed !== answer.body) await request({ ...asked, method: 'PUT', body: changed, signal })
    },
  }
}
