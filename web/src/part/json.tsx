import { visibleText } from '../words/visible.ts'

/** The placeholder for a secret. */
const HIDDEN = /^\*{3}.*\*{3}$/

/** JSON for people: names and values in different colours, hidden secrets marked. */
export function Json({ value }: { value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <pre class="code" tabIndex={0}>
      {piecesOf(JSON.stringify(value, null, 2) ?? 'nothing')}
    </pre>
  )
}

const NAME = /^(\s*)("(?:[^"\\]|\\.)*")(: ?)(.*)$/

function piecesOf(text: string) {
  return text.split('\n').map((line, index) => {
    const [, indent = '', name, colon = '', rest = ''] = NAME.exec(line) ?? []
    const end = index === 0 ? '' : '\n'
    if (name === undefined) return `${end}${visibleText(line)}`
    const bare = rest.replace(/^"|",?$/g, '')
    return (
      <>
        {end}
        {indent}
        <span class="key">{visibleText(name)}</span>
        {colon}
        {HIDDEN.test(bare) ? <span class="hidden-value">{rest}</span> : visibleText(rest)}
      </>
    )
  })
}
