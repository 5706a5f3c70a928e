/**
 * Recognises an HTML page received in place of a model API's answer. It comes with status 200 from a network login, a
 * proxy or an edge server.
 */

const PAGE = /^\s{0,64}(?:<!--[^>]{0,400}-->\s{0,64})?<(?:!doctype html|html)[\s>]/i

/** True for a text that is a whole HTML page. */
export function isPage(text: string): boolean {
  return PAGE.test(text.slice(0, 600))
}

const LONGEST_GATE = 65_536
const TITLE = /<title[^>]{0,200}>([^<]{0,300})/i

/** Titles of pages from something between us and the server. A page that a model was asked to write has its own title. */
const GATE =
  /\b(?:[45]\d\d|error|forbidden|denied|blocked|unavailable|bad gateway|gateway time-?out|too many requests|attention required|just a moment|maintenance|sign in|log ?in|captive|not found)\b/i

/** True for a page whose title says that something stands between us and the server. */
export function isGatePage(text: string): boolean {
  return isPage(text) && text.length <= LONGEST_GATE && GATE.test(titleOf(text))
}

/** Titles with which a server in between reports that the one behind it failed. */
const SERVER_FAILED =
  /^(?:5\d\d\b|error 5\d\d\b)|\b(?:bad gateway|gateway time-?out|service (?:temporarily )?unavailable)\b/i

/** True for a page that a server in between sent because the one behind it failed. */
export function isServerPage(text: string): boolean {
  return isPage(text) && text.length <= LONGEST_GATE && SERVER_FAILED.test(titleOf(text))
}

const LOGIN_TITLE =
  /\b(?:sign[ -]?in|log[ -]?(?:in|on)|single sign[ -]?on|sso|authenticat(?:e|ion)|anmelden|connexion|iniciar sesión|登录|ログイン)\b|登录|ログイン/i
const PASSWORD = /<input\b[^>]{0,400}\btype=["']?password\b/i
/** How a browser is handed on to where a person logs in. */
const HANDED_ON =
  /\bname=["']?SAML(?:Request|Response)\b|(?:\blocation(?:\.href)?\s{0,4}=|\blocation\.(?:replace|assign)\(|http-equiv=["']?refresh\b)[^>]{0,400}\b(?:log-?in|sign-?in|sso|saml2?|oauth2?\/(?:v\d\.\d\/)?authorize|adfs)\b/i
/** A page that only hands the browser on says nothing else. */
const LONGEST_HAND_OVER = 8_192

/** True for a page on which a person is to log in, sent in place of the answer: what asked was not known. */
export function isLoginPage(text: string): boolean {
  const isForm = () => LOGIN_TITLE.test(titleOf(text)) && PASSWORD.test(text.slice(0, LONGEST_GATE))
  return isHandOver(text) || (isPage(text) && isForm())
}

/** True for a page that only hands a browser on to where a person logs in. */
export function isHandOver(text: string): boolean {
  return text.length <= LONGEST_HAND_OVER && isPage(text) && HANDED_ON.test(text)
}

/** The page's title; empty if it has none. */
export function titleOf(text: string): string {
  return TITLE.exec(text.slice(0, LONGEST_GATE))?.[1]?.trim() ?? ''
}
