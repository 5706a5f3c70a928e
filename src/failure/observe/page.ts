/**
 * A page for people where an answer of a model API was due: it comes from a network's login, a proxy or an edge, with
 * 200 and in place of JSON.
 */

const PAGE = /^\s{0,64}(?:<!--[^>]{0,400}-->\s{0,64})?<(?:!doctype html|html)[\s>]/i

/** True for a text that is a whole page. */
export function isPage(text: string): boolean {
  return PAGE.test(text.slice(0, 600))
}

const LONGEST_GATE = 65_536
const TITLE = /<title[^>]{0,200}>([^<]{0,300})/i

/** Titles of pages that stand between us and whom we asked. A model asked for a page gives its own. */
const GATE =
  /\b(?:[45]\d\d|error|forbidden|denied|blocked|unavailable|bad gateway|gateway time-?out|too many requests|attention required|just a moment|maintenance|sign in|log ?in|captive|not found)\b/i

/** True for a page whose title says that something stands between. */
export function isGatePage(text: string): boolean {
  return isPage(text) && text.length <= LONGEST_GATE && GATE.test(titleOf(text))
}

/** What a page calls itself; empty if nothing. */
export function titleOf(text: string): string {
  return TITLE.exec(text.slice(0, LONGEST_GATE))?.[1]?.trim() ?? ''
}
