import { readFileSync } from 'node:fs'

/** The table of an interface's fields and methods: name, and what its comment says; its type too if asked for. */
function fieldTable(file: string, name: string, withTypes = true): string {
  const source = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
  const body = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)\\n\\}`, 'm').exec(source)?.[1]
  if (body === undefined) throw new Error(`${file} has no interface ${name}`)
  const fields = [...body.matchAll(/\/\*\*([\s\S]*?)\*\/\n {2}(?:readonly )?(\w+)\??(?:: ([^\n]+)|[(<])/g)]
  const rows = fields.map(([, comment = '', field, type = '']) => {
    const said = comment
      .replaceAll(/\n\s*\*/g, ' ')
      .replaceAll(/\{@link ([^}]+)\}/g, '`$1`')
      .replaceAll('@deprecated', 'Deprecated:')
      .replaceAll(/\s+/g, ' ')
      .replaceAll('|', '\\|')
      .trim()
    return withTypes
      ? `| \`${field}\` | \`${type.replaceAll('|', '\\|')}\` | ${said} |`
      : `| \`${field}\` | ${said} |`
  })
  const head = withTypes
    ? ['| field | type | meaning |', '|---|---|---|']
    : ['| field | meaning |', '|---|---|']
  return [...head, ...rows].join('\n')
}

export const fieldSections: Record<string, () => string> = {
  circumstances: () => fieldTable('src/verdict/circumstances.ts', 'Circumstances'),
  'health-mark': () => fieldTable('src/verdict/policy.ts', 'HealthMark'),
  'call-options': () => fieldTable('src/call/options.ts', 'CallOptions', false),
  'call-context': () => fieldTable('src/call/context.ts', 'CallContext', false),
  'council-options': () => fieldTable('src/call/council-options.ts', 'CouncilOptions', false),
  'capability-settings': () => fieldTable('src/capability/capability.ts', 'CapabilitySettings', false),
  'work-context': () => fieldTable('src/capability/context.ts', 'WorkContext', false),
  'worker-definition': () => fieldTable('src/adapter/job/definition.ts', 'WorkerDefinition', false),
  'lab-options': () => fieldTable('lab/lab.ts', 'LabOptions', false),
}
