import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { inputOf, parseCorpus } from '../src/cli/develop/corpus.ts'
import { classify } from '../src/failure/classify.ts'
import type { Failure } from '../src/failure/failure.ts'
import { errorNamesIn } from '../src/failure/fingerprint/error-names.ts'
import { proposeSignature } from '../src/unknown/propose.ts'
import { varied } from '../test/unknown/variants.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const failures = readdirSync(folder)
  .filter(name => name.endsWith('.jsonl'))
  .flatMap(name => parseCorpus(readFileSync(`${folder}${name}`, 'utf8'), name))
  .flatMap(entry => {
    const failure = classify(...inputOf(entry, { withProvider: true }))
    return failure ? [{ failure, label: entry.label.class, text: failure.text ?? failure.message }] : []
  })
const of = (text: string) => (classify(text) as Failure).fingerprint

describe('fingerprints over the corpus', () => {
  it('group a failure with itself when ids, times, paths and numbers are others', () => {
    const variants = failures.flatMap(({ failure: { message } }) =>
      [1, 2].map(seed => [message, varied(message, seed)] as const).filter(([a, b]) => a !== b),
    )
    // Another error code is another failure.
    const sameCodes = ([a, b]: readonly [string, string]) => errorNamesIn(a).join() === errorNamesIn(b).join()
    const pairs = variants.filter(sameCodes)
    const same = pairs.filter(([a, b]) => of(a) === of(b)).length
    console.info(`grouped: ${same} of ${pairs.length}`)
    expect(pairs.length).toBeGreaterThan(500)
    expect(same / pairs.length).toBeGreaterThan(0.98)
  })

  it('keep 200 different failures apart', () => {
    const distinct = [...new Map(failures.map(one => [one.failure.message.toLowerCase(), one])).values()]
    const step = Math.floor(distinct.length / 200)
    const chosen = Array.from({ length: 200 }, (_, index) => distinct[index * step]?.failure.message ?? '')
    const prints = new Set(chosen.map(of))
    console.info(`apart: ${prints.size} of 200`)
    expect(prints.size).toBeGreaterThanOrEqual(195)
  })
})

interface Pair {
  id: string
  same: boolean
  provider: string
  a: string
  b: string
}

describe('pairs of unknown failures', () => {
  const pairs = readFileSync(`${folder}pairs/unknowns.jsonl`, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Pair)
  const asProcess = (stderr: string) => ({ exitCode: 1, signal: null, stdout: '', stderr })

  it.each([
    ['as text', (text: string) => text],
    ['as output of a process', asProcess],
  ] as const)('group and stay apart as they should, %s', (_how, input) => {
    const wrong = pairs.filter(({ same, provider, a, b }) => {
      const [one, other] = [a, b].map(text => classify(input(text), { provider })?.fingerprint)
      return (one === other) !== same
    })
    expect(wrong.map(({ id }) => id)).toEqual([])
  })

  it('are as many as the page says', () => {
    const page = readFileSync(`${folder}../docs/unknowns.md`, 'utf8').replaceAll(/\s+/g, ' ')
    const alike = pairs.filter(({ same }) => same).length
    expect(page).toContain(
      `Of ${pairs.length} pairs of outputs in \`corpus/pairs/\`, all ${alike} that must group do and all ${pairs.length - alike} that must not do not.`,
    )
  })
})

/** The suite tries every third of the failures as a sample, FC_PARTS=10 npm test all. */
const STEP = process.env.FC_PARTS === undefined ? 3 : 1

describe('signatures proposed from the corpus', () => {
  // The patterns mean the same to RegExp, which tries millions of pairs in less time.
  it('find their own sample, and hardly ever a failure of another class', () => {
    const samples = failures.filter((_, index) => index % STEP === 0)
    const proposed = samples.flatMap(one => {
      const { pattern } = proposeSignature([one.failure])
      return pattern === undefined ? [] : [{ ...one, regex: new RegExp(pattern, 'i') }]
    })
    let wrong = 0
    for (const { regex, text, label, failure } of proposed) {
      expect(regex.test(text)).toBe(true)
      const meets = failures.some(
        other =>
          other.label !== label &&
          other.failure.fingerprint !== failure.fingerprint &&
          regex.test(other.text),
      )
      if (meets) wrong++
    }
    console.info(`proposed: ${proposed.length} of ${samples.length}; meets another class: ${wrong}`)
    // Each new set gives every pattern more failures of other classes to meet.
    expect(wrong / proposed.length).toBeLessThan(0.03)
  })
})
