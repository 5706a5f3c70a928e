import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { importsOf } from './import-order.ts'

/**
 * Groups of source files that import each other in a circle, each sorted by name. Types count, because whoever reads one
 * file of a circle must read all; imports that are made later, at run time, do not. Tests may import anything.
 */
export function cyclesIn(root: string): string[][] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    file => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file),
  )
  const sources = new Map(files.map(file => [file, readFileSync(join(root, file), 'utf8')]))
  return cyclesOf(sources)
}

/** The same for sources by path. */
export function cyclesOf(sources: ReadonlyMap<string, string>): string[][] {
  const edges = new Map(
    [...sources].map(([file, source]) => [
      file,
      importsOf(source, 'static')
        .filter(specifier => specifier.startsWith('.'))
        .map(specifier => join(dirname(file), specifier))
        .filter(target => sources.has(target)),
    ]),
  )
  return stronglyConnected(edges).map(group => group.sort())
}

/** Groups of two or more that can all reach each other (Tarjan). */
function stronglyConnected(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = []
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const visit = (file: string): number => {
    const own = order.size
    order.set(file, own)
    low.set(file, own)
    stack.push(file)
    let lowest = own
    for (const next of edges.get(file) ?? []) {
      if (!order.has(next)) lowest = Math.min(lowest, visit(next))
      else if (stack.includes(next)) lowest = Math.min(lowest, order.get(next) as number)
    }
    low.set(file, lowest)
    if (lowest === own) {
      const group = stack.splice(stack.indexOf(file))
      if (group.length > 1) found.push(group)
    }
    return lowest
  }
  for (const file of edges.keys()) if (!order.has(file)) visit(file)
  return found
}
