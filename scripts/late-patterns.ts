import type { RolldownPlugin } from 'rolldown'
import { parseSync } from 'rolldown/utils'

/**
 * Makes regular expressions with Unicode properties when they are first used. V8 expands `\p{L}` to hundreds of ranges wherever it
 * reads one in a literal, in functions that never run as well, which was a fifth of what importing the library took.
 */
export function latePatterns(): RolldownPlugin {
  return {
    name: 'late-patterns',
    transform: {
      filter: { id: /\/src\/.*\.ts$/, code: /\\p\{/ },
      handler: (code, id) => withLatePatterns(code, id),
    },
  }
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

interface Found {
  readonly node: Node
  readonly parents: readonly Node[]
}

/** Code in which each such literal is an expression that makes it once; constants are written out where they are used. */
export function withLatePatterns(code: string, file: string): string {
  const { program } = parseSync(file, code)
  const nodes = [...nodesIn(program as unknown as Node, [])]
  const patterns = nodes.filter(({ node }) => isWide(node))
  const changes: { start: number; end: number; text: string }[] = []
  patterns.forEach(({ node, parents }, index) => {
    const { pattern, flags } = node.regex as { pattern: string; flags: string }
    const made = `(latePattern${index} ??= new RegExp(${JSON.stringify(pattern)}, ${JSON.stringify(flags)}))`
    const parent = parents.at(-1) as Node
    if (parent.type === 'VariableDeclarator' && parents.length === 3) {
      const statement = parents[1] as Node
      if ((statement.declarations as unknown[]).length > 1)
        throw new Error(`${file}: declare each pattern with Unicode properties on its own`)
      const declared = parent.id as Node
      changes.push({ start: statement.start, end: statement.end, text: '' })
      for (const use of nodes)
        if (use.node !== declared && names(use, declared.name as string))
          changes.push({ start: use.node.start, end: use.node.end, text: made })
    } else {
      if (/[gy]/.test(flags) && !startsAtZero(parent))
        throw new Error(
          `${file}: pass /${pattern}/${flags} to replaceAll, split, match or matchAll: it keeps its place`,
        )
      changes.push({ start: node.start, end: node.end, text: made })
    }
  })
  let changed = code
  for (const { start, end, text } of changes.sort((a, b) => b.start - a.start))
    changed = changed.slice(0, start) + text + changed.slice(end)
  return `${patterns.map((_, index) => `let latePattern${index}\n`).join('')}${changed}`
}

function isWide(node: Node): boolean {
  return (
    node.type === 'Literal' && /\\p\{/i.test((node.regex as { pattern: string } | undefined)?.pattern ?? '')
  )
}

/** Whether a node is a use of the constant. One that is declared again, exported or abbreviated would need more care. */
function names({ node, parents }: Found, name: string): boolean {
  if (node.type !== 'Identifier' || node.name !== name) return false
  const parent = parents.at(-1) as Node
  if (parent.type === 'MemberExpression' && parent.property === node && parent.computed === false)
    return false
  if (parent.type === 'Property' && parent.shorthand === false) return parent.value === node
  if (/Declarator|Function|Specifier|Pattern|^Property$/.test(parent.type) && parent.init !== node)
    throw new Error(`${name} is also declared, exported or abbreviated elsewhere`)
  return true
}

function startsAtZero(call: Node): boolean {
  const callee = call.callee as { property?: { name?: string } } | undefined
  return /^(?:replaceAll|replace|split|match|matchAll)$/.test(callee?.property?.name ?? '')
}

function* nodesIn(node: Node, parents: readonly Node[]): Generator<Found> {
  yield { node, parents }
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === 'string' && typeof child.start === 'number')
        yield* nodesIn(child as Node, [...parents, node])
}
