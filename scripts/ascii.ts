import type { RolldownPlugin } from 'rolldown'

/**
 * Writes the built files in ASCII. One character beyond Latin-1 makes V8 keep a whole file in two bytes per character, which
 * doubles what a program must read and hold to start.
 */
export function asciiOnly(): RolldownPlugin {
  return {
    name: 'ascii-only',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = inAscii(file.code)
    },
  }
}

/** JavaScript with escapes instead of other characters: they mean the same in strings, templates and regular expressions. */
export function inAscii(code: string): string {
  return code.replaceAll(/\\*[^\x00-\x7f]+/g, found => {
    const from = found.search(/[^\\]/)
    // Behind an escaping backslash, the escape would be text.
    if (from % 2 === 1) throw new Error(`A backslash stands before ${found.slice(from)}: it is not needed`)
    return found.replaceAll(/[^\\]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  })
}
