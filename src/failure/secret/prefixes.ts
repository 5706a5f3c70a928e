import { codeAt } from '../text/characters.ts'
import { SECRETLINT } from './secretlint.ts'

/**
 * Prefixes by which issuers mark their keys, after the least length of what follows them; any case. Those that `secretlint.ts`
 * has, or that any key of a mixed body shows (`mixed.ts`), need no line here.
 */
const OWN = `
8 xoxa- xoxb- xoxc- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xapp-
10 sk_prod_ pk_live_ pk_test_ pk_prod_ rk_prod_ ak_live_ bb_live_ bb_test_ mk_live_
16 sk- pk- rk- sess- ctx7sk- whsec_ r8_ api_org_ fw_ tgp_v1_ jina_ e2b_ dckr_oat_ cio_ rubygems_ glptt- gldt-
16 glrt- glsoat- glcbt- glft- glagent- glimt- gloas- pypi- lin_oauth_ figo_ re_ sbp_ sb_secret_ doo_v1_ dop_v1_
16 dor_v1_ sntrys_ sntryu_ rnd_ fo1_ fm1_ fm2_ phx_ ops_ p8e- clojars_ dt0c01. endr+ s-s4t2ud- sha256~ sgp_ sgd_
16 lsv2_ waka_ xaat- xapt- xait- rpa_ kgat_ hawk. mb_ s. mlg_ avns_ ovsxp_ configcat-sdk-1/ essu_ gr1348941 glffct-
20 sk_ xai- pplx- csk- nvapi- tvly- pul- nrak- nrjs- nrii- nriq- sq0atp- sq0csp- sq0idp- gocspx- ya29. 1//0 sg.
20 v1.0- dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. tskey-
22 as- ak-
12 chpt_ ucat_
20 md-
24 pmak- pat-na pat-eu key-
32 fc- secret_ b_ pk_ sdk- mob- luma- pub-c- sub-c- sec-c- bpk-
35 test_
40 dg9ro
`

/** How keys begin whose prefix is letters or digits only; `CASED` in `tokens.ts` has the rest of them. */
const CASED_STARTS = 'AI AK AS AR AN AB AC LT EA AT BS da ci oy SK ey bo EX SC cf'

interface Prefix {
  prefix: string
  least: number
}

interface Starts {
  /** What may begin with two characters: {@link PREFIXED}, {@link CASED} or both. */
  readonly marks: Uint8Array
  /** By two characters: the prefixes that begin with them, the longest first, because that one decides. */
  readonly prefixes: ReadonlyMap<number, readonly Prefix[]>
}

const PREFIXED = 1
const CASED = 2
/** Made at the first text: a program that never fails needs none. */
let made: Starts | undefined

function starts(): Starts {
  made ??= startsOf(`${OWN}${SECRETLINT}`)
  return made
}

function startsOf(lines: string): Starts {
  const marks = new Uint8Array(1 << 14)
  const prefixes = new Map<number, Prefix[]>()
  const mark = (start: number, as: number) => {
    marks[start] = (marks[start] as number) | as
  }
  for (const line of lines.split('\n')) {
    const [least, ...listed] = line.split(' ')
    for (const prefix of listed)
      for (const pair of casesOf(prefix.slice(0, 2))) {
        const start = startOf(pair, 0)
        mark(start, PREFIXED)
        const others = prefixes.get(start)
        const one = { prefix, least: Number(least) }
        if (others) others.push(one)
        else prefixes.set(start, [one])
      }
  }
  for (const list of prefixes.values()) list.sort((a, b) => b.prefix.length - a.prefix.length)
  for (const pair of CASED_STARTS.split(' ')) mark(startOf(pair, 0), CASED)
  for (let number = 0; number < 100; number++) mark(startOf(String(number).padStart(2, '0'), 0), CASED)
  return { marks, prefixes }
}

/** Two characters in lower and upper case, and in both mixtures. */
function casesOf([first = '', second = '']: string): Set<string> {
  const [upperFirst, upperSecond] = [first.toUpperCase(), second.toUpperCase()]
  return new Set([first + second, first + upperSecond, upperFirst + second, upperFirst + upperSecond])
}

const LONGEST = 24

/** The prefix with which a key begins at `start`. */
export function prefixAt(run: string, start: number): Prefix | undefined {
  const pair = startOf(run, start)
  const { marks, prefixes } = starts()
  if (((marks[pair] as number) & PREFIXED) === 0) return undefined
  const head = run.slice(start, start + LONGEST).toLowerCase()
  return prefixes.get(pair)?.find(({ prefix }) => head.startsWith(prefix))
}

/** True if a key may begin at `start`, by its first two characters. */
export function mayBeKey(run: string, start: number): boolean {
  return starts().marks[startOf(run, start)] !== 0
}

/** True if a key whose prefix is letters only may begin at `start`. */
export function mayBeCased(run: string, start: number): boolean {
  return ((starts().marks[startOf(run, start)] as number) & CASED) !== 0
}

/** Two characters as a number; runs have ASCII only. */
function startOf(text: string, at: number): number {
  return ((codeAt(text, at) & 127) << 7) | (codeAt(text, at + 1) & 127)
}
