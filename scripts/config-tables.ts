import { fileSchema } from '../src/config/schema/config.ts'
import { type Field, type Node, nodeOf } from '../src/config/schema/node.ts'

type Fields = ReadonlyMap<string, Field>

/** Every table and key of the config as Markdown, with meaning, type and default. */
function configKeys(): string {
  const { fields } = nodeOf(fileSchema) as Extract<Node, { kind: 'table' }>
  return [...fields.values()].map(field => sectionOf(field, field.key, 3)).join('\n')
}

function sectionOf({ node, description }: Field, title: string, depth: number): string {
  const table = tableWithin(node)
  if (!table) return ''
  const brackets = node.kind === 'list' ? `[[${title}]]` : `[${title}${node.kind === 'map' ? '.NAME' : ''}]`
  const rows = [...table.values()].map(rowOf)
  const inner = [...table.values()].map(field =>
    sectionOf(field, `${title}${node.kind === 'map' ? '.NAME' : ''}.${field.key}`, 4),
  )
  return [
    `${'#'.repeat(depth)} \`${brackets}\``,
    '',
    description,
    '',
    '| key | takes | default | meaning |',
    '|---|---|---|---|',
    ...rows,
    '',
    ...inner.filter(text => text !== ''),
  ].join('\n')
}

function rowOf({ key, node, description, isRequired, fallback }: Field): string {
  const standard = isRequired ? 'required' : fallback === undefined || isEmpty(fallback) ? '' : code(fallback)
  return `| \`${key}\` | ${typeOf(node)} | ${standard} | ${description} |`
}

function typeOf(node: Node): string {
  switch (node.kind) {
    case 'table':
      return 'table'
    case 'list':
      return node.item.kind === 'table' ? 'tables' : `list of ${typeOf(node.item)}`
    case 'map':
      return node.item.kind === 'table' ? 'tables by name' : `${typeOf(node.item)}, by name`
    case 'value':
      return node.type.replace(/"(\w+)"/g, '`"$1"`').replaceAll('``', '`')
  }
}

/** The fields of a table, or of the tables in a list or map. */
function tableWithin(node: Node): Fields | undefined {
  if (node.kind === 'table') return node.fields
  return node.kind === 'value' ? undefined : tableWithin(node.item)
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function code(value: unknown): string {
  return `\`${JSON.stringify(value)}\``
}

/** The generated parts of docs/config.md. */
export const configSections = { config: configKeys }
