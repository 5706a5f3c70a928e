import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codePoint } from '../../../test/code-point.ts'
import type { Terminal } from '../terminal.ts'
import { escapingTerminal } from './escaping-terminal.ts'
import { VisibleBytes, visibleText } from './visible-text.ts'

/** Characters that control a terminal, written differently than in the code. */
const OBEYED = /(?![\n\t])\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/u

describe('a text for a terminal', () => {
  it('escapes what a terminal would obey', () => {
    expect(visibleText('\u001b[2Jred\u001b]0;title\u0007')).toBe('\\u001b[2Jred\\u001b]0;title\\u0007')
    expect(visibleText('\u009b31m')).toBe('\\u009b31m')
    expect(visibleText('user\u202egpj.exe')).toBe('user\\u202egpj.exe')
    expect(visibleText('paid\rfree')).toBe('paid\nfree')
    expect(visibleText('a\r\nb\tc – ä 👩‍💻\n')).toBe('a\nb\tc – ä 👩‍💻\n')
  })

  it('contains no control character for any input, and JSON keeps its meaning', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), text => {
        expect(visibleText(text)).not.toMatch(OBEYED)
        const json = JSON.stringify({ text })
        expect(JSON.parse(visibleText(json))).toEqual({ text })
      }),
    )
  })

  it('is the same for bytes, wherever they are split', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.array(fc.nat(40)), (text, cuts) => {
        const bytes = Buffer.from(text.toWellFormed())
        const shown = new VisibleBytes()
        let out = ''
        let at = 0
        for (const cut of [...cuts, bytes.length]) {
          out += shown.push(bytes.subarray(at, at + cut))
          at += cut
        }
        expect(out).toBe(visibleText(bytes.toString('utf8')))
      }),
    )
  })
})

describe('the terminal of a command', () => {
  const said = (isTerminal: boolean) => {
    const out = { stdout: '', stderr: '' }
    const terminal = escapingTerminal({
      stdout: text => {
        out.stdout += text
      },
      stderr: text => {
        out.stderr += text
      },
      stdoutIsTerminal: isTerminal,
      stderrIsTerminal: isTerminal,
    } as Partial<Terminal> as Terminal)
    terminal.stdout('\u001b[2J')
    terminal.stdout(Buffer.from('\u001b[3J'))
    terminal.stderr('\u001b[4J')
    terminal.stderr(Buffer.from('\u001b[5J'))
    return out
  }

  it('lets nothing through to a terminal', () => {
    expect(said(true)).toEqual({ stdout: '\\u001b[2J\\u001b[3J', stderr: '\\u001b[4J\\u001b[5J' })
  })

  it('leaves the bytes of answers and programs unchanged without a terminal, and escapes all text', () => {
    expect(said(false)).toEqual({ stdout: '\\u001b[2J\u001b[3J', stderr: '\\u001b[4J\u001b[5J' })
  })

  it('is the only way out: no command writes around it', () => {
    const commands = join(import.meta.dirname, '..')
    const files = readdirSync(commands, { recursive: true, encoding: 'utf8' }).filter(
      file => file.endsWith('.ts') && !/\btest-|\.test\.ts$/.test(file),
    )
    const around = files.filter(file =>
      /process\.(?:stdout|stderr)|console\.|writeSync\(|['"]\/dev\/(?:tty|std|fd)/.test(
        readFileSync(join(commands, file), 'utf8'),
      ),
    )
    // Reserved streams carry a protocol that a program reads.
    expect(around.sort()).toEqual(['operate/mcp/own-streams.ts', 'real-terminal.ts'])
  })
})
