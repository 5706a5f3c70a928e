import { readFileSync } from 'node:fs'

/** A fenced block of a document. */
export interface Snippet {
  file: string
  /** Line of the fence, from 1. */
  line: number
  language: string
  code: string
  /** Why it is not executed, as stated in a comment above it. */
  notExecuted?: string
}

/** All fenced blocks of a Markdown file. */
export function snippetsOf(file: string): Snippet[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  const snippets: Snippet[] = []
  for (let i = 0; i < lines.length; i++) {
    const fence = /^```(\w+)$/.exec(lines[i] as string)
    if (!fence) continue
    const end = lines.indexOf('```', i + 1)
    const reason = /^<!-- not executed: (.+) -->$/.exec(lines[i - 1] ?? '')?.[1]
    snippets.push({
      file,
      line: i + 1,
      language: fence[1] as string,
      code: lines.slice(i + 1, end).join('\n'),
      ...(reason === undefined ? {} : { notExecuted: reason }),
    })
    i = end
  }
  return snippets
}

/** The expected output of a TypeScript snippet: the comments after its console.log calls, if any. */
export function promisedLines(code: string): (string | undefined)[] {
  return code
    .split('\n')
    .filter(line => line.startsWith('console.log('))
    .map(line => /\) \/\/ (.+)$/.exec(line)?.[1])
}
