import { APICallError } from 'ai'
import isNetworkError from 'is-network-error'
import { classify } from '../src/failure/classify.ts'
import { Signatures } from '../src/failure/signature.ts'
import { compilePhrases } from '../src/failure/text/compile-phrases.ts'
import { PhraseSet } from '../src/failure/text/phrase-set.ts'
import { figure } from './figures.ts'
import { measure } from './measure.ts'
import { PHRASES, regexpOf, SIGNATURES } from './patterns.ts'
import { textsOf } from './texts.ts'

const say = (line = '') => process.stdout.write(`${line}\n`)
const times = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ×`

/** One pass over a text with everything we have, against the same patterns one by one. Trimming is off. */
function matching(): void {
  const phrases = new PhraseSet(compilePhrases(PHRASES))
  const signatures = new Signatures('bench', { throttle: SIGNATURES })
  const regexps = [
    ...PHRASES.map(phrase => new RegExp(regexpOf(phrase), 'i')),
    ...SIGNATURES.map(source => new RegExp(source, 'i')),
  ]
  say(
    `Patterns: ${PHRASES.length} phrases of the catalogue and ${SIGNATURES.length} operator signatures; trimming off.`,
  )
  say()
  say('| text | size | hits | one pass (µs) | RegExp one by one (µs) | ratio |')
  say('|---|---|---|---|---|---|')
  let worst = Infinity
  const cost = new Map<string, number>()
  for (const size of [4_096, 65_536]) {
    for (const { name, text } of textsOf(size)) {
      const ours = () => phrases.match(text).length + signatures.matchAll(text).length
      const theirs = () => regexps.reduce((hits, regexp) => hits + Number(regexp.test(text)), 0)
      if (ours() !== theirs())
        throw new Error(`${name} ${size}: ${ours()} hits by one pass, ${theirs()} by RegExp`)
      const [a, b] = measure({ ours, theirs })
      const ratio = (b?.micros as number) / (a?.micros as number)
      worst = Math.min(worst, ratio)
      cost.set(`${name} ${size}`, a?.micros as number)
      say(
        `| ${name} | ${size / 1_024} KB | ${ours()} | ${a?.micros.toFixed(0)} | ${b?.micros.toFixed(0)} | ${times(ratio)} |`,
      )
    }
  }
  const growth = ['no hit', 'few hits', 'many hits'].map(
    name => (cost.get(`${name} 65536`) as number) / (cost.get(`${name} 4096`) as number),
  )
  figure({
    what: 'all phrases and signatures in one text, worst case',
    unit: 'of the time',
    better: 'less',
    values: { 'one pass': 1, 'RegExp one by one': worst },
    aim: '8 ×',
  })
  say()
  say(
    `Worst row: ${times(worst)} faster (to reach: 8). 64 KB costs at most ${times(Math.max(...growth))} what 4 KB cost (to reach: at most 20).`,
  )
}

/** A pattern that hangs a backtracking engine, on 50 KB of its worst input, beside a harmless one. */
function backtracking(): void {
  const text = `${'a'.repeat(50_000)}!`
  const evil = new Signatures('bench', { throttle: ['(a+)+$'] })
  const harmless = new Signatures('bench', { throttle: ['rate limit'] })
  const [a, b] = measure({ evil: () => evil.matchAll(text), harmless: () => harmless.matchAll(text) })
  say()
  say(
    `Exponential backtracking, (a+)+$ on 50 KB: ${a?.micros.toFixed(0)} µs; "rate limit" on the same: ${b?.micros.toFixed(0)} µs: ${times((a?.micros as number) / (b?.micros as number))} (to reach: at most 10).`,
  )
}

/** One decision about an SDK error with status and code. */
function decision(): void {
  const error = Object.assign(new Error('429 Rate limit reached for gpt-4o. Please try again in 7.5s.'), {
    status: 429,
    code: 'rate_limit_exceeded',
    type: 'tokens',
    headers: { 'retry-after': '8' },
  })
  const network = new TypeError('fetch failed')
  const build = () =>
    new APICallError({
      message: 'Too Many Requests',
      url: 'http://x',
      requestBodyValues: {},
      statusCode: 429,
    }).isRetryable
  const rows = measure({
    'mulligan classify (class, kind, effect, wait, evidence, fingerprint, redaction)': () => classify(error),
    'is-network-error (one bit)': () => isNetworkError(network),
    "AI SDK's APICallError.isRetryable (one bit, building the error included)": build,
  })
  say()
  say('| one decision | µs |')
  say('|---|---|')
  for (const { name, micros } of rows) say(`| ${name} | ${micros.toFixed(2)} |`)
  figure({
    what: 'one SDK error classified (theirs say one bit)',
    unit: 'µs',
    better: 'less',
    values: Object.fromEntries(rows.map(({ name, micros }) => [name.split(/[ (]*\(| classify/)[0], micros])),
  })
}

matching()
backtracking()
decision()
