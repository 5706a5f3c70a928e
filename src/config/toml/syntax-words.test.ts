import { expect, it } from 'vitest'
import { parseToml } from './document.ts'

it.each([
  ['id = claude', '1:6: not a value: a text needs quotes, such as "10m"; others are numbers, true and false'],
  ['wait = 10m', '1:10: not a number: a text needs quotes, such as "10m"'],
  ['id = "claude\n', '1:13: the text before this place has no closing quote'],
  ['id "claude"', '1:4: expected KEY = VALUE: there is no "=" after the key'],
  ['[queue', '1:2: the table has no closing ]'],
  ['[queue\nconcurrency = 2', '1:7: the table has no closing ]'],
  ['[[provider]\n', '1:12: a name that begins with [[ ends with ]]'],
  ['pool = ["a" "b"]', '1:13: expected a comma, or the end of the list or table: ] or }'],
  ['id = "a" b', '1:10: the value has ended: the rest of the line does not belong to it'],
  ['key = "hush"\nkey = "hush"', '2:1: key is there already, further above'],
  ['[queue]\n[queue]', '2:2: [queue] is there already, further above'],
])('%j: says what is wrong, where', (text, message) => {
  expect(() => parseToml(text, 'mulligan.toml')).toThrow(`mulligan.toml:${message}`)
})

it('keeps what the parser says about rarer mistakes', () => {
  expect(() => parseToml('a = 01', 'mulligan.toml')).toThrow('mulligan.toml:1:5: illegal leading zero')
})
