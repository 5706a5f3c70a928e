/** A position in a text, counted from 1; columns are UTF-16 units, as in editors. */
export interface Position {
  line: number
  column: number
}

/** The path to a value: key names, and array indices. */
export type Path = readonly (string | number)[]

/** A path as people write it: `provider[0].caps[1].usd`. */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, step) =>
      typeof step === 'number' ? `${text}[${step}]` : `${text}${text === '' ? '' : '.'}${bareOrQuoted(step)}`,
    '',
  )
}

function bareOrQuoted(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key)
}

/** The positions of a document's values: one node per value, with the values inside it as children. */
export class PositionNode {
  /** Where its key begins; for an array element, where the element begins. */
  place: Position | undefined
  readonly children = new Map<string | number, PositionNode>()

  constructor(place?: Position) {
    this.place = place
  }

  /** The child with this name, created if missing. The first position given stays. */
  child(step: string | number, place?: Position): PositionNode {
    let node = this.children.get(step)
    if (!node) {
      node = new PositionNode(place)
      this.children.set(step, node)
    }
    node.place ??= place
    return node
  }

  /** The position of a value; of the nearest enclosing one if the value itself is not written. */
  placeOf(path: Path): Position | undefined {
    let { place } = this
    let node: PositionNode | undefined = this
    for (const step of path) {
      node = node.children.get(step)
      if (!node) break
      place = node.place ?? place
    }
    return place
  }

  /** Whether the value itself is written. */
  has(path: Path): boolean {
    let node: PositionNode | undefined = this
    for (const step of path) node = node?.children.get(step)
    return node !== undefined
  }
}
