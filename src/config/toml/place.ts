/** A place in a text, both counted from 1; columns are UTF-16 units, as editors count them. */
export interface Place {
  line: number
  column: number
}

/** The way to a value: names of keys, and indices into arrays. */
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

/** Where the values of a document stand: one node for each value, with those inside it as children. */
export class PlaceNode {
  /** Where its key begins; for an element of an array, where the element begins. */
  place: Place | undefined
  readonly children = new Map<string | number, PlaceNode>()

  constructor(place?: Place) {
    this.place = place
  }

  /** The child of that name; made if it is not there. The first place given stays. */
  child(step: string | number, place?: Place): PlaceNode {
    let node = this.children.get(step)
    if (!node) {
      node = new PlaceNode(place)
      this.children.set(step, node)
    }
    node.place ??= place
    return node
  }

  /** The place of a value; of the nearest one around it if the value itself is not written down. */
  placeOf(path: Path): Place | undefined {
    let { place } = this
    let node: PlaceNode | undefined = this
    for (const step of path) {
      node = node.children.get(step)
      if (!node) break
      place = node.place ?? place
    }
    return place
  }

  /** Whether the value itself is written down. */
  has(path: Path): boolean {
    let node: PlaceNode | undefined = this
    for (const step of path) node = node?.children.get(step)
    return node !== undefined
  }
}
