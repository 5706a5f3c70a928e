import { codeAt } from '../text/characters.ts'
import { matchesOf } from '../text/matches.ts'
import { COMMANDS } from './commands.ts'
import { mixtureOf } from './mixed.ts'
import type { Span } from './span.ts'

/** `$id$parameters$salt$hash`. */
const CRYPT =
  /(?<![\w$])\$(?:[1567y]|2[abxy]?|apr1|argon2\w{0,2}|pbkdf2[\w-]{0,20}|scrypt)\$(?!\*)([\w./$=,+-]{20,300})/g

/** The secret is the last group, at the end of the match. */
type Form = { mark: string; form: RegExp }

const ADDRESSES: readonly Form[] = [
  { mark: '/bot', form: /\.org\/(?:file\/)?bot(?!\*)([^\s/"'<>]{4,})/g },
  { mark: 'hooks.', form: /\bhooks\.(?:slack|zapier)\.com\/[a-z-]{2,20}\/(?!\*)([\w/-]{6,})/g },
  { mark: '/0000000000', form: /(?<![\w/])\d\/\d{12,20}:([a-f0-9]{32})\b/g },
  { mark: '/p:', form: /\s\/u:\S{1,80}\s\/p:(?!\*)([^\s"']{3,100})/g },
  { mark: 'net use', form: /\bnet use [^\n]{0,80}?\\\\\S{1,100} (?![*/])([^\s/]{3,100})(?= \/user)/gi },
  {
    mark: 'sqlplus',
    form: /\bsqlplus\s{1,4}(?:-\w\s{1,4}){0,3}[^\s/@]{1,60}\/(?!\*)([^\s@"']{2,100})/g,
  },
  // A code that is traded for a token, in a URL.
  {
    mark: 'code=',
    form: /[?&#][\w-]{0,20}code=(?!\*)(?=[^\s&]{0,60}\d)([\w%.~+/=-]{20,2000})/g,
  },
  {
    mark: '/webhooks/',
    form: /\b(?:discord|discordapp)\.com\/api\/(?:v\d{1,3}\/)?webhooks\/(?!\*)([\w/-]{6,})/g,
  },
  { mark: 'webhook.office.com', form: /\bwebhook\.office\.com\/[a-z0-9]{2,20}\/(?!\*)([\w@/-]{6,})/g },
  { mark: 'jdbc:oracle', form: /\bjdbc:oracle:\w{1,20}:[^\s/@]{1,80}\/(?!\*)([^\s@]{1,200})/g },
]
/** A user and a password, as arguments. */
const CREDENTIAL =
  /\b(?:\w{0,30}Credentials?|DirectoryEntry)\((?:\s{0,40}"[^"\n]{0,100}"\s?,){1,2}\s{0,40}"(?!\*)([^"\n]{3,100})/g
const CISCO = /\b(?:password|key|secret) 7 ([0-9A-F]{8,200})\b/g
/** Twelve or more words that make a wallet's key. */
const PHRASE = /\b(?:mnemonic|phrase|seed words)["']?\W{1,5}((?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?![\w,.])/gi
const PAT = /(?<![\w-])pat["']?\s{0,3}[=:]\s{0,3}["']?(?!\*)(?=[a-z]{0,60}\d)([a-z0-9]{20,100})\b/gi
const SENTENCES: readonly Form[] = [
  // A file of logins for hosts, and the configuration of databases and of network devices.
  { mark: ' password ', form: /\blogin\s{1,9}\S{1,80}\s{1,40}password\s{1,9}["']?(?!\*)([^\s"']{2,200})/g },
  { mark: 'identified by', form: /\bIDENTIFIED BY (?:PASSWORD )?["'](?!\*)([^"'\n]{2,200})/g },
  { mark: 'requirepass', form: /\b(?:requirepass|masterauth)\s{1,4}["']?(?![*"'])([^\s"']{2,200})/g },
  {
    mark: 'auth ',
    form: /\bAUTH (?:[A-Za-z][\w-]{0,30} )?(?!\*)(?=\S{0,60}\d)(?=\S{0,60}[A-Za-z])([^\s"']{6,400})/g,
  },
  {
    mark: 'sword ',
    form: /\bpassword (?:for|of) [^\n]{1,60}? (?:is|=|:) {0,2}["'`](?!\*)([^"'`\n]{3,60})/gi,
  },
  {
    mark: 'type=',
    form: /\btype=["']?password["']?[^<>]{0,200}?\bvalue=["'](?!\*)([^"'<>]{3,200})/gi,
  },
  ...['credential(', 'credentials(', 'directoryentry('].map(mark => ({ mark, form: CREDENTIAL })),
  ...['mnemonic', 'phrase', 'seed words'].map(mark => ({ mark, form: PHRASE })),
  ...['pat =', 'pat=', 'pat:'].map(mark => ({ mark, form: PAT })),
  // What a mail server asks for as "Password:" in base64 stands on the next line.
  { mark: 'ugfzc0dvcmq0', form: /UGFzc3dvcmQ6\s{0,3}\n(?:[A-Z]: |[<>] ?)?(?!\*)([\w+/=]{4,400})/g },
  { mark: 'certificate', form: /\bapp[_.-]?certificate["']?\s{0,3}[=:]\s{0,3}["']?([a-f0-9]{32})\b/gi },
  // The id of a key and the key.
  { mark: 'scw', form: /\bSCW[A-Z0-9]{17}\b[^\w\n]{1,8}([a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12})\b/g },
  { mark: 'private-lines', form: /\bPrivate-Lines: \d{1,3}\r?\n((?:[A-Za-z0-9+/=]{8,80}\r?\n?){1,100})/g },
  { mark: 'snmp-server community', form: /\bsnmp-server community (?!\*)(\S{2,64})/g },
  ...['password 0 ', 'key 0 ', 'secret 0 '].map(mark => ({ mark, form: CISCO })),
]
const DOLLARS: readonly Form[] = [
  { mark: '$prod', form: /\baccess_token\$production\$(?!\*)([\w$]{20,100})/g },
  ...['$1$', '$2', '$5$', '$6$', '$y$', '$apr0', '$argon2', '$pbkdf2', '$scrypt'].map(mark => ({
    mark,
    form: CRYPT,
  })),
  { mark: '$ansible_vault', form: /\$ANSIBLE_VAULT;[^\n]{1,80}((?:\n[ \t]{0,40}[0-9a-f]{16,200}){1,200})/g },
]
/** The password file of PostgreSQL. */
const PGPASS: readonly Form[] = [':5432:', '*:*:'].map(mark => ({
  mark,
  form: /^[\w.*-]{1,80}:(?:5432|\*):[\w*-]{1,60}:[\w-]{1,60}:(?!\*)(\S{3,200})/gm,
}))
/** Cookies that hold a session, by names that servers share; a `session=` of an agent is no secret. */
const SESSION =
  /(?<![\w-])(?:JSESSIONID|PHPSESSID|ASP\.NET_SessionId|connect\.sid|_\w{2,40}_session)=(?!\*)([\w%.:+~-]{16,400})/gi
const SESSIONS: readonly Form[] = [
  'jsessionid',
  'phpsessid',
  'net_sessionid',
  'connect.sid',
  '_session=',
].map(mark => ({ mark, form: SESSION }))

/** Finds secrets by where they stand: credentials in URLs, webhooks, key blocks, curl's `-u`; if the mark is in the text. */
export interface Place {
  mark: string
  find: (text: string, spans: Span[]) => void
}

const inForm = ({ mark, form }: Form): Place => ({
  mark,
  find: (text, spans) => {
    for (const match of matchesOf(form, text)) {
      const end = match.index + match[0].length
      spans.push({ start: end - (match[1] as string).length, end })
    }
  },
})

export const PLACES: readonly Place[] = [
  { mark: '://', find: credentialsIn },
  { mark: '-----', find: keyBlocksIn },
  { mark: 'kind: secret', find: manifestIn },
  ...[...ADDRESSES, ...SENTENCES, ...DOLLARS, ...COMMANDS, ...PGPASS, ...SESSIONS].map(inForm),
]

/** How far the user and password of a URL may reach. */
const LONGEST_LOGIN = 1_000

/** Removes user and password and keeps the host. A password may contain an unescaped @: the last one ends it. */
function credentialsIn(text: string, spans: Span[]): void {
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
    if (!/[A-Za-z0-9+.-]/.test(text[at - 1] ?? '')) continue
    const start = at + 3
    let end = -1
    for (let i = start; i < text.length && i - start < LONGEST_LOGIN; i++) {
      const code = codeAt(text, i)
      // Space, " ' / < > and what begins a query.
      if (
        code <= 32 ||
        code === 34 ||
        code === 39 ||
        code === 47 ||
        code === 60 ||
        code === 62 ||
        code === 63
      )
        break
      if (code === 64) end = i
    }
    if (end > start) spans.push({ start, end })
    pathSecretsIn(text, Math.max(start, end), spans)
  }
}

const PATH = /[^\s/"'<>?#]{1,200}(\/[\w./~%-]{20,1000})/y
/** Parts of a path after which a random one is a key: a version, a hook, what names it. */
const OPENS_KEY = /^(?:v\d{1,2}|keys?|tokens?|\w{0,20}hooks?)$/i

/** Keys in the path of a URL. A commit or a file may look like one, but not directly behind a host or a version. */
function pathSecretsIn(text: string, from: number, spans: Span[]): void {
  PATH.lastIndex = from
  const match = PATH.exec(text)
  const path = match?.[1]
  if (!match || path === undefined || !/\d/.test(path)) return
  let at = match.index + match[0].length - path.length
  let isOpen = false
  let isFirst = true
  for (const part of path.slice(1).split('/', 12)) {
    at++
    const isRandom = part.length >= 16 && /^[\w-]+$/.test(part) && mixtureOf(part, 0, part.length).isMixed
    if (isRandom && (isOpen || (isFirst && /^[a-f0-9]{32,}$/.test(part))))
      spans.push({ start: at, end: at + part.length })
    if (OPENS_KEY.test(part)) isOpen = true
    else if (!/hook/i.test(path)) isOpen = false
    isFirst = false
    at += part.length
  }
}

const DATA = /^(?:string)?[dD]ata:[ \t]*\r?\n((?:[ \t]{1,40}[^\n]{0,4000}(?:\n|$)){1,100})/gm
const ENTRY = /^[ \t]{1,40}[\w.-]{1,80}:[ \t]{1,9}["']?(?!\*)([^\s"'|>][^\n"']{0,4000})/gm

/** All values of a Kubernetes secret. */
function manifestIn(text: string, spans: Span[]): void {
  for (const data of matchesOf(DATA, text)) {
    const from = data.index + data[0].length - (data[1] as string).length
    for (const entry of matchesOf(ENTRY, data[1] as string)) {
      const end = from + entry.index + entry[0].trimEnd().length
      spans.push({
        start: from + entry.index + entry[0].indexOf(entry[1] as string, entry[0].indexOf(':')),
        end,
      })
    }
  }
}

const KEY_MARK = /-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
const LONGEST_KEY = 20_000

/** Private key blocks, including encrypted ones and PGP's, and halves of such a block if a text was cut. */
function keyBlocksIn(text: string, spans: Span[]): void {
  let open: { start: number; inside: number } | undefined
  let done = 0
  for (const { 0: mark, 1: kind, index } of matchesOf(KEY_MARK, text)) {
    const end = index + mark.length
    if (kind === 'BEGIN') {
      if (open) spans.push({ start: open.start, end: endOfLines(text, open.inside, index) })
      open = { start: index, inside: end }
    } else {
      const isWhole = open && index - open.start <= LONGEST_KEY
      if (open && !isWhole) spans.push({ start: open.start, end: endOfLines(text, open.inside, index) })
      spans.push({ start: open && isWhole ? open.start : startOfLines(text, done, index), end })
      open = undefined
      done = end
    }
  }
  if (open) spans.push({ start: open.start, end: endOfLines(text, open.inside, text.length) })
}

/** Where the key's lines begin, going back from its end. */
function startOfLines(text: string, done: number, end: number): number {
  const from = Math.max(done, end - LONGEST_KEY)
  // Searches only within reach: many marks on one long line must not each search all of it.
  const reach = text.slice(from, end)
  let start = reach.length
  while (start > 0) {
    const previous = start < 2 ? 0 : reach.lastIndexOf('\n', start - 2) + 1
    if (!KEY_LINE.test(reach.slice(previous, start).trim())) break
    start = previous
  }
  return from + start
}

/** A line of base64, or a header of an encrypted key. Line breaks may be escaped. */
const KEY_LINE = /^(?:[A-Za-z0-9+/=\\]{0,20000}|[A-Z][A-Za-z-]{1,30}: [^\n]{1,200})$/

/** Where the key's lines end; `before` is the position of the next mark. */
function endOfLines(text: string, from: number, before: number): number {
  const reach = text.slice(from, Math.min(before, from + LONGEST_KEY))
  let at = 0
  while (at < reach.length) {
    const next = reach.indexOf('\n', at + 1)
    const end = next < 0 ? reach.length : next
    if (!KEY_LINE.test(reach.slice(at, end).trim())) {
      // The rest of the mark's own line: base64 up to the first other character.
      if (at === 0) at = /^[A-Za-z0-9+/=\\]{0,20000}/.exec(reach.slice(0, end))?.[0].length ?? 0
      break
    }
    at = end
  }
  return from + at
}
