import { visibleText } from '../words/visible.ts'

/** Text from outside: shown as plain text, with invisible characters written out. */
export function Foreign({ text, cut = false }: { text: string; cut?: boolean }) {
  return (
    <span class={cut ? 'foreign cut' : 'foreign'} dir="auto">
      {visibleText(text)}
    </span>
  )
}
