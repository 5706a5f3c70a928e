import { visibleText } from '../words/visible.ts'

/** A text with the deciding excerpt marked. */
export function Excerpt({ text, excerpt }: { text: string; excerpt: string }) {
  const at = excerpt === '' ? -1 : text.indexOf(excerpt)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <pre class="code foreign" dir="auto" tabIndex={0}>
      {at < 0 ? (
        <>
          {/* A rule may match a status or a code that is not in the text. */}
          {excerpt === '' ? null : <mark>{visibleText(excerpt)}</mark>}
          {excerpt === '' ? '' : '\n'}
          {visibleText(text)}
        </>
      ) : (
        <>
          {visibleText(text.slice(0, at))}
          <mark>{visibleText(excerpt)}</mark>
          {visibleText(text.slice(at + excerpt.length))}
        </>
      )}
    </pre>
  )
}
