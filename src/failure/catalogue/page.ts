import { classOfKind, isFailureClass, isFailureKind } from '../failure.ts'
import { exampleOf } from './example.ts'
import { RANKS, type Rank } from './rank.ts'
import { defaultEffect, type Rule, type When } from './rule.ts'
import { VENDORS, type Vendor } from './vendor.ts'

/** A mistake on a page of the catalogue, found by its test. */
export class PageError extends Error {
  override name = 'PageError'
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
 * continues the one above. After the rank stands what differs from the default: a class, an effect, a scope. Examples are
 * text or JSON (example.ts).
 */
export function page(family: string, text: string): Rule[] {
  return text
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

function meaningOf(written: string, fail: Fail): Pick<Rule, 'class' | 'kind' | 'rank' | 'effect' | 'scope'> {
  const [kind = '', rank = '', ...others] = written.split(' ')
  if (!isFailureKind(kind)) return fail(`${kind} is no kind`)
  if (!Object.hasOwn(RANKS, rank)) return fail(`${rank} is no rank`)
  const cls = others.find(isFailureClass) ?? classOfKind(kind)
  const effect = others.find(word => word === 'none' || word === 'maybe') ?? defaultEffect(cls, kind)
  const scope = others.find(word => word === 'account' || word === 'resource')
  return { class: cls, kind, rank: rank as Rank, effect, ...(scope ? { scope } : {}) }
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
