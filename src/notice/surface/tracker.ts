import type { CheckAnswer } from '../../capability/verification.ts'
import { oneLine } from '../../failure/text/printable.ts'
import { cut } from '../cut.ts'
import { LONGEST_TITLE, type Message } from '../message.ts'
import { fenced, withoutMentions } from './escape.ts'
import { markerOf, unknownMarkerOf } from './marker.ts'
import { jsonOf, request } from './request.ts'
import type { Reached, SendContext, Sent, Surface } from './surface.ts'

/** The differences between issue trackers. */
export interface TrackerDialect {
  kind: 'github' | 'gitea'
  /** Its name, for messages. */
  title: string
  /** Address of the issues of the repository. */
  issues: string
  headers: Record<string, string>
  /** Query for a page of issues of any state, newest first. */
  page(number: number): string
  /** Issues on a full page. */
  pageSize: number
  /** Further fields of a new issue. */
  extra: Record<string, unknown>
}

interface Issue {
  number: number
  state: string
  body: string
  url: string
}

/** Most pages searched for an issue. */
const MOST_PAGES = 10
/** Largest difference between our clock and the tracker's: issues older than a message by more than this are skipped. */
const SKEW_MS = 86_400_000

/**
 * Opens issues in a repository. An unknown failure has one issue ever: while it is open, nothing is added; once it is
 * closed, a comment reports that the failure is back. Once its cause is gone, a comment says so and the issue is closed:
 * its text may be a person's by then. Hidden comments in the text identify message and failure.
 */
export function trackerSurface(dialect: TrackerDialect): Surface {
  const tracker = new Tracker(dialect)
  return {
    kind: dialect.kind,
    send: (message, context) => tracker.send(message, context),
    verify: (message, context) => tracker.verify(message, context),
    check: context => tracker.check(context),
    edit: (message, reference, context) => tracker.resolve(message, reference, context),
  }
}

class Tracker {
  readonly #dialect: TrackerDialect

  constructor(dialect: TrackerDialect) {
    this.#dialect = dialect
  }

  async send(message: Message, context: SendContext): Promise<Sent> {
    const known = await this.#issueOfUnknown(message, context)
    if (known?.state === 'open') return { reference: known.url }
    if (known) return this.#comment(known, message, context)
    const { issues, extra } = this.#dialect
    const title = cut(withoutMentions(oneLine(message.title)), LONGEST_TITLE)
    const made = await this.#post(issues, { title, body: bodyOf(message), ...extra }, context)
    return referenceOf(made)
  }

  async verify(message: Message, context: SendContext): Promise<CheckAnswer> {
    const marker = markerOf(message)
    const since = new Date(message.at - SKEW_MS).toISOString()
    const sent = await this.#find(issue => isMarked(issue, marker), context, `&since=${since}`)
    if (sent) return { state: 'done', value: sent.url }
    const known = await this.#issueOfUnknown(message, context)
    if (known === undefined) return 'absent'
    if (known.state === 'open') return { state: 'done', value: known.url }
    const comments = await this.#get(
      `${this.#dialect.issues}/${known.number}/comments?since=${since}`,
      context,
    )
    const isThere = comments.some(comment => isMarked(issueOf(comment), marker))
    return isThere ? { state: 'done', value: known.url } : 'absent'
  }

  /** Lists issues: whether the token may open one is seen only when it does. */
  async check(context: SendContext): Promise<Reached> {
    await this.#get(`${this.#dialect.issues}?${this.#dialect.page(1)}`, context)
    return { notChecked: 'that the token may open issues' }
  }

  /** Says that the cause is gone, and closes the issue. Changes nothing before that. */
  async resolve(message: Message, reference: string, context: SendContext): Promise<Sent> {
    const { resolved } = message
    const number = /\/(\d+)$/.exec(reference)?.[1]
    if (resolved === undefined || number === undefined) return { reference }
    const { issues, title, headers } = this.#dialect
    const marker = `${markerOf(message)}:resolved`
    const said = await this.#get(`${issues}/${number}/comments`, context)
    const body = `Resolved:\n\n${fenced(resolved.why)}\n\n<!-- ${marker} -->\n`
    if (!said.some(comment => isMarked(issueOf(comment), marker)))
      await this.#post(`${issues}/${number}/comments`, { body }, context)
    const url = `${issues}/${number}`
    await request({ title, url, headers, method: 'PATCH', body: { state: 'closed' }, signal: context.signal })
    return { reference }
  }

  async #issueOfUnknown({ fingerprint }: Message, context: SendContext): Promise<Issue | undefined> {
    if (fingerprint === undefined) return undefined
    const marker = unknownMarkerOf(fingerprint)
    return this.#find(issue => isMarked(issue, marker), context)
  }

  async #comment(issue: Issue, message: Message, context: SendContext): Promise<Sent> {
    const body = `This failure is back after the issue was closed.\n\n${bodyOf(message)}`
    await this.#post(`${this.#dialect.issues}/${issue.number}/comments`, { body }, context)
    return { reference: issue.url }
  }

  async #find(isIt: (issue: Issue) => boolean, context: SendContext, query = ''): Promise<Issue | undefined> {
    const { issues, page, pageSize } = this.#dialect
    for (let number = 1; number <= MOST_PAGES; number++) {
      const found = await this.#get(`${issues}?${page(number)}${query}`, context)
      for (const each of found) {
        const issue = issueOf(each)
        if (issue && isIt(issue)) return issue
      }
      if (found.length < pageSize) return undefined
    }
    return undefined
  }

  async #get(url: string, { signal }: SendContext): Promise<readonly unknown[]> {
    const { title, headers } = this.#dialect
    const found = jsonOf(await request({ title, url, headers, signal }))
    if (!Array.isArray(found)) throw new Error(`${title} did not answer with a list of issues`)
    return found
  }

  async #post(url: string, body: Record<string, unknown>, { signal }: SendContext): Promise<unknown> {
    const { title, headers } = this.#dialect
    return jsonOf(await request({ title, url, headers, body, signal }))
  }
}

function bodyOf(message: Message): string {
  const { fingerprint, text, title } = message
  const markers = [markerOf(message), ...(fingerprint === undefined ? [] : [unknownMarkerOf(fingerprint)])]
  return `${fenced(text === '' ? title : text)}\n\n${markers.map(marker => `<!-- ${marker} -->`).join('\n')}\n`
}

/** Whether an issue has a marker outside its code block, where a failure's text cannot forge one. */
function isMarked(issue: Issue | undefined, marker: string): boolean {
  return issue?.body.replace(FENCE, '').includes(`<!-- ${marker} -->`) ?? false
}

/** A block made by {@link fenced}; no fence inside is as long. */
const FENCE = /(`{3,})text\r?\n[\s\S]*?\r?\n\1(?!`)/

function issueOf(value: unknown): Issue | undefined {
  const { number, state, body, html_url: url } = (value ?? {}) as Record<string, unknown>
  if (typeof body !== 'string') return undefined
  return {
    number: typeof number === 'number' ? number : 0,
    state: String(state ?? ''),
    body,
    url: typeof url === 'string' ? url : '',
  }
}

function referenceOf(made: unknown): Sent {
  const { html_url: url } = (made ?? {}) as Record<string, unknown>
  return typeof url === 'string' ? { reference: url } : {}
}
