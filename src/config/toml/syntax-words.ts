/** What helps against the mistakes in TOML that people make most, by the parser's message, which says less. */
const WORDS: Readonly<Record<string, (line: string) => string>> = {
  'invalid value': () =>
    'not a value: a text needs quotes, such as "10m"; others are numbers, true and false',
  'illegal character in numeric literal': () => 'not a number: a text needs quotes, such as "10m"',
  'control characters are not allowed in strings': () => 'the text before this place has no closing quote',
  'unfinished string': () => 'the text that begins here has no closing quote',
  'illegal character in key': line =>
    openTable(line) ?? 'expected KEY = VALUE: there is no "=" after the key',
  'incomplete key-value: cannot find end of key': line =>
    openTable(line) ?? 'expected KEY = VALUE: there is no "="',
  'expected end of table array declaration': () => 'a name that begins with [[ ends with ]]',
  'expected comma or end of structure': () => 'expected a comma, or the end of the list or table: ] or }',
  'each key-value declaration must be followed by an end-of-line': () =>
    'the value has ended: the rest of the line does not belong to it',
  'trying to redefine an already defined table or value': line =>
    `${keyOf(line)} is there already, further above`,
}

/** A message of the parser about a line, in words that say what is wrong. */
export function syntaxInWords(message: string, line: string): string {
  return Object.hasOwn(WORDS, message) ? (WORDS[message]?.(line) ?? message) : message
}

/** Undefined if the line is not the name of a table. */
function openTable(line: string): string | undefined {
  return line.trimStart().startsWith('[') ? 'the table has no closing ]' : undefined
}

/** The key or table of a line, never its value, which may be a secret. */
function keyOf(line: string): string {
  return line.split(/[=#]/, 1)[0]?.trim() || 'the key'
}
