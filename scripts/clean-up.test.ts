import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const SOURCES = ['src/**/*.ts', 'scripts/**/*.{ts,mjs}', 'lab/**/*.ts']
/** What may throw while something is cleaned up. */
const MAY_THROW = /\bawait\b|\w+Sync\(|\.(?:exec|close|rollback|remove)\(/
const IS_GUARDED = /\bquietly\(|\.catch\(|\bcleaningUp\(/

/** The text between these braces. */
function blockAt(source: string, open: number): string {
  let depth = 0
  for (let at = open; at < source.length; at++) {
    if (source[at] === '{') depth++
    else if (source[at] === '}' && --depth === 0) return source.slice(open + 1, at)
  }
  return source.slice(open + 1)
}

const unguarded = (text: string) =>
  text.split('\n').filter(line => MAY_THROW.test(line) && !IS_GUARDED.test(line) && !/^\s*\/\//.test(line))

/** Lines of clean-ups whose error would replace the one that led to them. */
function hidingLines(source: string): string[] {
  const lines = [...source.matchAll(/\bfinally \{/g)].flatMap(({ index, 0: { length } }) =>
    unguarded(blockAt(source, index + length - 1)),
  )
  for (const { index, 0: text, 1: error } of source.matchAll(/\bcatch \((\w+)\) \{/g)) {
    const block = blockAt(source, index + text.length - 1)
    const rethrown = block.match(new RegExp(`^\\s*throw ${error}$`, 'm'))
    if (rethrown) lines.push(...unguarded(block.slice(0, rethrown.index)))
  }
  return lines.map(line => line.trim())
}

it('finds clean-ups that may hide an error', () => {
  const hiding = `try { work() } finally {\n  await file.close()\n}
    try { work() } catch (error) {\n  db.exec('ROLLBACK')\n  throw error\n}`
  expect(hidingLines(hiding)).toEqual(['await file.close()', "db.exec('ROLLBACK')"])
  expect(hidingLines('try { work() } finally {\n await quietly(() => file.close())\n stop()\n}')).toEqual([])
})

it('no clean-up replaces the error that led to it', () => {
  const files = globSync(SOURCES).filter(file => !/\.test\.ts$|node_modules/.test(file))
  expect(files.length).toBeGreaterThan(500)
  const hiding = files.flatMap(file =>
    hidingLines(readFileSync(file, 'utf8')).map(line => `${file}: ${line} (use src/time/clean-up.ts)`),
  )
  expect(hiding).toEqual([])
})
