/** Removes what programs print above their output: their name, a logo or a rule. */
const MOST_LINES = 8

const VERSION = /^\S{1,30}(?: \S{1,20}){0,2} \(?(?:v\d{1,4}\.\d{1,4}|\d{1,4}\.\d{1,4}\.\d{1,6})\S{0,20}\)?$/i
/** A symbol that is not a bullet, a tick or a heading, then a name of up to three words. */
const SIGNED =
  /^(?![-*•#✅✓✔☑🎉✨🚀🎊👍])[^\p{L}\p{N}\s"'“„‘«「『《`([{<@$/\\.:]{1,6}\s{0,2}\p{L}[\p{L}\p{N}._-]{1,24}(?: [\p{L}\p{N}._-]{1,20}){0,2}$/u
/** A name, then a symbol. */
const SIGNED_BEHIND =
  /^\p{L}[\p{L}\p{N}._-]{1,24}(?: [\p{L}\p{N}._-]{1,20}){0,2} \p{Extended_Pictographic}\S{0,4}$/u
const SPEAKER = /^(?:\[?(?:assistant|bot|ai|agent|model|response|answer|output|result)\]?|🤖\S{0,4})\s?:?$/i
/** What a wrapper says when it starts the program: does not end like a sentence, nor introduce what follows. */
const LAUNCH =
  /^(?:using|starting|launching|loading|resuming|connecting to|connected to|running)\b(?!.{0,60}[.:!?…]$) [\w .@/~-]{2,55}$/i
/** A logo or a rule: no letters at all. */
const DRAWN = /^[^\p{L}\p{N}]+$/u

/** A text without such lines at its head; the whole text if nothing else would be left. */
export function withoutTitle(text: string): string {
  if (!text.includes('\n')) return text
  const lines = text.split('\n')
  let from = 0
  while (from < Math.min(lines.length - 1, MOST_LINES) && isTitle((lines[from] as string).trim())) from++
  const rest = lines.slice(from).join('\n').trim()
  return rest === '' ? text : rest
}

function isTitle(line: string): boolean {
  if (line === '') return true
  if (line.length > 60) return DRAWN.test(line)
  return [SPEAKER, SIGNED, SIGNED_BEHIND, VERSION, LAUNCH, DRAWN].some(form => form.test(line))
}
