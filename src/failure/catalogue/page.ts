import { isFailureKind } from '../failure.ts'
import { RANKS } from './rank.ts'
import { type Meaning, meaningIn, type Rule, type When } from './rule.ts'
import { VENDORS, type Vendor } from './vendor.ts'

/** A mistake on a page of the catalogue, found by its test. */
export class PageError extends Error {
  override name = 'PageError'
}

/** Words that many phrases allow in one place, where a page writes their name: `after # ({time})`. */
const WORDS: Readonly<Record<string, string>> = {
  time: 'ms|milliseconds|s|sec|secs|second|seconds|m|min|mins|minute|minutes|h|hour|hours',
  spent: 'reached|exceeded|exhausted|hit|met|used up|spent|consumed|depleted|gone|maxed out',
  period: 'second|minute|hour|day|week|month|year|sec|min|hr',
  allotment: 'limit|limits|quota|quotas|cap|ceiling|allowance|allotment|share|throughput',
  secret:
    'key|keys|token|tokens|credential|credentials|password|passphrase|certificate|login|session|cookie|signature|jwt|secret|identity|pin',
  // Tokens, keys and signatures that nobody logs in with: `({nologin}) (token|key|signature)`.
  nologin:
    'page|paging|pagination|next|continuation|cursor|sync|stop|special|csrf|xsrf|captcha|recaptcha|upload|download|device|push|registration|invite|invitation|unsubscribe|card|cache|sort|partition|primary|foreign|unique|index|object|map|json|idempotency|lookup|function|method|type|tool|thinking|thought|reasoning',
  machine:
    'server|servers|service|backend|host|hosts|node|nodes|broker|brokers|replica|replicas|registry|gateway|worker|workers|cluster|site|system|daemon|endpoint|peer|database|proxy|bridge',
}

const PARTS = ['says', 'code', 'status', 'also', 'vendor', 'not', 'unless'] as const
type Written = Partial<Record<(typeof PARTS)[number], string>>
type Fail = (problem: string) => never

/**
 * Reads a page of rules. A rule is a line that is not indented, and indented lines below it:
 *
 *     name: kind rank · why the rule exists
 *       says a phrase, another … phrase, (one|another) word
 *       unless a phrase that forbids it
 *       or code ECODE field=value|other; status 4xx 503; vendor aws
 *       eg an input that the rule decides
 *
 * The parts of a condition are those of {@link When}; `or` begins another condition. A line that is indented further
 * continues the one above. `{name}` stands for a list of words. After the rank stands what differs from the default: a class, an effect, a scope. Examples are
 * text or JSON (example.ts).
 */
export function page(family: string, text: string): Rule[] {
  return text
    .replaceAll(/\{([a-z]+)\}/g, (written, name: string) => WORDS[name] ?? written)
    .split(/\n(?=\S)/)
    .filter(block => block.trim() !== '')
    .map(block => ruleIn(family, block.trim()))
}

function ruleIn(family: string, block: string): Rule {
  const [head = '', ...lines] = block.replaceAll(/\n {4,}/g, ' ').split('\n  ')
  const [, name, meaning, why] = /^(\w+): ([\w ]+) · (.+)$/.exec(head) ?? []
  const fail: Fail = problem => {
    throw new PageError(`${family}.${name ?? head}: ${problem}`)
  }
  if (name === undefined || meaning === undefined || why === undefined)
    return fail('a rule begins with "name: kind rank · why"')
  const conditions: Written[] = [{}]
  let example: string | undefined
  for (const line of lines) {
    if (line.startsWith('eg ')) example = line.slice('eg '.length)
    else if (line.startsWith('or ')) conditions.push(partsIn(line.slice('or '.length), fail))
    else Object.assign(conditions.at(-1) as Written, partsIn(line, fail))
  }
  if (example === undefined) return fail('it needs an example')
  return {
    id: `${family}.${name}`,
    ...meaningOf(meaning, fail),
    why,
    when: conditions.map(condition => whenOf(condition, fail)),
    ...exampleOf(example),
  }
}

/** Parts on one line are separated by semicolons. */
function partsIn(line: string, fail: Fail): Written {
  return Object.fromEntries(
    line.split('; ').map(written => {
      const [, part, value] = /^(\w+) (.+)$/.exec(written) ?? []
      return PARTS.some(known => known === part) ? [part, value] : fail(`cannot read "${written}"`)
    }),
  )
}

function meaningOf(written: string, fail: Fail): Meaning {
  const [kind = '', rank = ''] = written.split(' ')
  if (!isFailureKind(kind)) return fail(`${kind} is no kind`)
  return Object.hasOwn(RANKS, rank) ? meaningIn(written) : fail(`${rank} is no rank`)
}

const listed = (written: string) => written.split(', ').map(entry => entry.trim())

/** `code=1|2` are two codes of one field. A code with a space is quoted. */
function codesIn(written: string): string[] {
  return Array.from(written.matchAll(/"([^"]+)"|(\S+)/g), ([, quoted, plain = '']) => {
    const [field, values] = plain.split('=')
    return quoted !== undefined
      ? [quoted]
      : values === undefined
        ? [plain]
        : values.split('|').map(value => `${field}=${value}`)
  }).flat()
}

function whenOf(written: Written, fail: Fail): When {
  const { says, code, status, also, vendor, not, unless } = written
  const vendors = (names: string) =>
    names
      .split(' ')
      .map(name => (Object.hasOwn(VENDORS, name) ? (name as Vendor) : fail(`${name} is no vendor`)))
  return {
    ...(says ? { says: listed(says) } : {}),
    ...(code ? { code: codesIn(code) } : {}),
    ...(status
      ? { status: status.split(' ').map(each => (/x/.test(each) ? (each as '4xx') : Number(each))) }
      : {}),
    ...(also ? { also: codesIn(also) } : {}),
    ...(vendor ? { vendor: vendors(vendor) } : {}),
    ...(not ? { notVendor: vendors(not) } : {}),
    ...(unless ? { unless: listed(unless) } : {}),
  }
}

type Example = Pick<Rule, 'example' | 'exampleProvider' | 'exampleReturned'>

/**
 * An input that a rule decides, as a page writes it: plain text, or JSON. `as NAME` before it is the provider, `returned` says
 * that a tool or an API returned it, `thrown` makes an Error of it.
 */
function exampleOf(written: string): Example {
  const [, provider, how, json] = /^(?:as (\S+) )?(?:(returned|thrown) )?(["{[].*)$/.exec(written) ?? []
  if (json === undefined) return { example: written }
  const value: unknown = JSON.parse(json)
  return {
    example: how === 'thrown' ? thrown(value as Fields) : value,
    ...(provider === undefined ? {} : { exampleProvider: provider }),
    ...(how === 'returned' ? { exampleReturned: true } : {}),
  }
}

interface Fields {
  message: string
  cause?: Fields
  errors?: Fields[]
  [field: string]: unknown
}

function thrown({ message, cause, errors, ...fields }: Fields): Error {
  if (errors) return new AggregateError(errors.map(thrown), message)
  const error = fields.name === 'TypeError' ? new TypeError(message) : new Error(message)
  if (cause !== undefined) error.cause = 'message' in Object(cause) ? thrown(cause) : cause
  return Object.assign(error, fields)
}
