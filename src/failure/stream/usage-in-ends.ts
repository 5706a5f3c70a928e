import { type Used, usedBy } from './usage.ts'

/** Where JSON says what it used. Quotes within its texts are escaped, so no text looks like it. */
const USAGE = /"(usage|usageMetadata)"\s*:\s*(?=\{)/g
const MODEL = /"(model|modelVersion)"\s*:\s*"([^"\\]{1,200})"/

/** More objects than any usage has within. */
const MOST_TRIES = 50

/** What a JSON answer that is too long to keep says that it used, by its beginning and its end. */
export function usedByEnds(beginning: string, end: string): Used {
  // A value may lie across the border of both.
  const tail = beginning.slice(-4_096) + end
  const said = [...tail.matchAll(USAGE)].at(-1)
  const usage = said && objectAt(tail, said.index + said[0].length)
  const model = MODEL.exec(beginning) ?? MODEL.exec(tail)
  return usedBy({
    ...(said && usage ? { [said[1] as string]: usage } : {}),
    ...(model ? { model: model[2] } : {}),
  })
}

/** The object that begins here; undefined if it does not end. */
function objectAt(text: string, start: number): object | undefined {
  let end = start
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    end = text.indexOf('}', end + 1)
    if (end === -1) return undefined
    try {
      return JSON.parse(text.slice(start, end + 1)) as object
    } catch {
      // It goes on.
    }
  }
  return undefined
}
