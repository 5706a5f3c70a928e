import { visibleText } from '../words/visible.ts'

/** Text that comes from elsewhere: shown as it is, as text, with nothing unseen in it. */
export function Foreign({ text, cut = false }: { text: string; cut?: boolean }) {
  return (
    <span class={cut ? 'foreign cut' : 'foreign'} dir="auto">
      {visibleText(text)}
    </span>
  )
}
