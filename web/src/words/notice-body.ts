/** Lines of a notice that are always shown. */
const FIRST_LINES = 3

/** The body of a notice, as the dashboard shows it. */
export interface NoticeBody {
  /** The workflow run it is about. */
  run?: string
  /** Lines that are always shown. */
  lines: string[]
  /** Further lines, and commands, which are buttons in the dashboard. */
  more: string[]
  /** Whether `more` has anything besides commands. */
  isMore: boolean
}

/** Splits the body of a notice, which is written for chats and terminals, with ids and commands in the text. */
export function bodyOf(body: string): NoticeBody {
  const [first = '', ...rest] = body.split('\n')
  const isId = /^(?:op|wf)_\d+$/.test(first)
  const all = (isId ? rest : [first, ...rest]).filter(line => line.trim() !== '')
  // A button leads to what a fingerprint names.
  const commands = all.filter(line => /^(?:[A-Z][^:]*: mulligan \w|Fingerprint: fp\d+:)/.test(line))
  const words = all.filter(line => !commands.includes(line))
  return {
    ...(first.startsWith('wf_') && isId ? { run: first } : {}),
    lines: words.slice(0, FIRST_LINES),
    more: [...words.slice(FIRST_LINES), ...commands],
    isMore: words.length > FIRST_LINES,
  }
}
