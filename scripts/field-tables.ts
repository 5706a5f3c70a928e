import { readFileSync } from 'node:fs'

/** The table of an interface's fields in a guide: name, type if it is short, and what its comment says. */
function fieldTable(file: string, name: string): string {
  const source = readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8')
  const body = source.split(`export interface ${name} {\n`)[1]?.split('\n}')[0]
  if (body === undefined) throw new Error(`${file} has no interface ${name}`)
  const fields = [...body.matchAll(/\/\*\*([\s\S]*?)\*\/\n\s*(\w+)\??: ([^\n]+)/g)]
  const rows = fields.map(([, comment = '', field, type = '']) => {
    const said = comment
      .replaceAll(/\n\s*\*/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
    return `| \`${field}\` | \`${type.replaceAll('|', '\\|')}\` | ${said} |`
  })
  return ['| field | type | meaning |', '|---|---|---|', ...rows].join('\n')
}

export const fieldSections: Record<string, () => string> = {
  circumstances: () => fieldTable('verdict/circumstances.ts', 'Circumstances'),
  'health-mark': () => fieldTable('verdict/policy.ts', 'HealthMark'),
}
