import fc from 'fast-check'
import { parse, stringify } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { type Path, type PositionNode, pathText } from './position.ts'
import { scanPositions } from './scan.ts'

/** All places as `line:column path`, in the order of the text. */
function listing(text: string): string[] {
  const found: string[] = []
  const walk = (node: PositionNode, path: Path) => {
    for (const [step, child] of node.children) {
      found.push(`${child.place?.line}:${child.place?.column} ${pathText([...path, step])}`)
      walk(child, [...path, step])
    }
  }
  walk(scanPositions(text), [])
  return found
}

describe('scanPositions', () => {
  it.each([
    ['a = 1\n  b.c = 2 # c = 3', ['1:1 a', '2:3 b', '2:5 b.c']],
    ['[t]\nx = 1\n[t.u]\ny = 2', ['1:1 t', '2:1 t.x', '3:1 t.u', '4:1 t.u.y']],
    [
      '[[p]]\nid = "a"\n[p.q]\nx=1\n[[p]]\n[[p.r]]\n[[p.r]]\nk = 1',
      [
        '1:1 p',
        '1:1 p[0]',
        '2:1 p[0].id',
        '3:1 p[0].q',
        '4:1 p[0].q.x',
        '5:1 p[1]',
        '6:1 p[1].r',
        '6:1 p[1].r[0]',
        '7:1 p[1].r[1]',
        '8:1 p[1].r[1].k',
      ],
    ],
    [
      'a = { b = 1, c.d = [1, { e = 2 }] }',
      ['1:1 a', '1:7 a.b', '1:14 a.c', '1:16 a.c.d', '1:21 a.c.d[0]', '1:24 a.c.d[1]', '1:26 a.c.d[1].e'],
    ],
    ['a = [\n  1, # one ]\n  "]",\n]\nb = 1', ['1:1 a', '2:3 a[0]', '3:3 a[1]', '5:1 b']],
    ['a = """\nx = 1\n\\""" y""""\nb = \'\'\'\n[c]\n\'\'\'\'\nc = "\\"#"', ['1:1 a', '4:1 b', '7:1 c']],
    [
      '"a b".\'c\' = 1\n"\\u00e9" = 2\r\nd = 1979-05-27 07:32:00 # x',
      ['1:1 "a b"', '1:7 "a b".c', '2:1 "é"', '3:1 d'],
    ],
    ['[ a . "b" ]\nc=true', ['1:1 a', '1:1 a.b', '2:1 a.b.c']],
    ['a = [ [1], [] ]', ['1:1 a', '1:7 a[0]', '1:8 a[0][0]', '1:12 a[1]']],
    ['\uFEFFa = 1\nb = 2', ['1:1 a', '2:1 b']],
    ['', []],
  ])('finds every key and element of %j', (text, expected) => {
    parse(text)
    expect(listing(text)).toEqual(expected)
  })

  it('returns the enclosing place of a value that is not written', () => {
    const places = scanPositions('x = 1\n[t]\ny = 2')
    expect(places.placeOf(['t', 'z', 0])).toEqual({ line: 2, column: 1 })
    expect(places.placeOf(['t', 'y'])).toEqual({ line: 3, column: 1 })
    expect([places.has(['t', 'y']), places.has(['t', 'z'])]).toEqual([true, false])
  })

  it('finds them in any mixture of notations', () => {
    const forms = [
      (n: number) => `k${n} = """\n[no]\nx = 1 \\""" # "" \\\n  y"""`,
      (n: number) => `k${n} = '''\n# 'no' ''comment''\n'''''`,
      (n: number) => `k${n} = "a # \\" ] }" # c = "1`,
      (n: number) => `'k ${n}' . b."c.d"=\t'x\\' `,
      (n: number) => `k${n} = [ [1, 2,], # a ]\n\n { x = 1, y . z = [ ] }, "]", ]`,
      (n: number) => `k${n}.a = { }\nk${n}.b = { c = { d = "}" } }`,
      (n: number) => `k${n} = 1979-05-27 07:32:00Z# date`,
      (n: number) => `k${n} = [ +1_000, -inf, 0xff, 1e3,\n07:32:00 ] `,
      (n: number) => `  [t${n}] # table`,
      (n: number) => `[ t${n} . "u v" ]`,
      (n: number) => `[a.c${n}]`,
      () => '[[a]]',
      () => '[[ a . b ]]\nx = 1',
      () => '# [no]',
      () => '',
    ]
    const documents = fc
      .array(fc.constantFrom(...forms), { maxLength: 12 })
      // Tables inside an array need the array first.
      .map(chosen => ['[[a]]', ...chosen.map((form, index) => form(index))].join('\n'))
    fc.assert(
      fc.property(documents, fc.constantFrom('\n', '\r\n'), (document, newline) => {
        const text = document.replaceAll('\n', newline)
        expect([...pathsOf(scanPositions(text))].sort()).toEqual([...valuePathsOf(parse(text))].sort())
      }),
    )
  })

  it('finds exactly the values that the parser finds, in any document', () => {
    const scalar = fc.oneof(
      fc.string(),
      fc.constantFrom('"""', "'''", '# no comment', 'a\nb = 1', '[x]', '\\"'),
      fc.integer(),
      fc.boolean(),
    )
    const { value } = fc.letrec<{ value: unknown }>(tie => ({
      value: fc.oneof(
        { maxDepth: 3 },
        scalar,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.string(), tie('value'), { maxKeys: 3, noNullPrototype: true }),
      ),
    }))
    const documents = fc.dictionary(fc.string(), value, { maxKeys: 4, noNullPrototype: true })
    fc.assert(
      fc.property(documents, document => {
        const text = stringify(document)
        expect([...pathsOf(scanPositions(text))].sort()).toEqual([...valuePathsOf(parse(text))].sort())
      }),
    )
  })
})

function* pathsOf(node: PositionNode, path: Path = []): Generator<string> {
  for (const [step, child] of node.children) {
    yield JSON.stringify([...path, step])
    yield* pathsOf(child, [...path, step])
  }
}

function* valuePathsOf(value: unknown, path: Path = []): Generator<string> {
  if (typeof value !== 'object' || value === null || value instanceof Date) return
  for (const [key, inner] of Object.entries(value)) {
    const here = [...path, Array.isArray(value) ? Number(key) : key]
    yield JSON.stringify(here)
    yield* valuePathsOf(inner, here)
  }
}
