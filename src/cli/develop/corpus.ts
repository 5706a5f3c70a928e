import type { ClassifyContext } from '../../failure/context.ts'
import { isFailureClass, isFailureKind, KINDS } from '../../failure/failure.ts'
import { nearest } from '../../option/nearest.ts'

/** One labelled failure of a corpus file: what the caller saw, and an expert's label. */
export interface CorpusEntry {
  id: string
  provider?: string
  surface: 'cli' | 'mcp' | 'http' | 'sdk' | 'system' | 'value'
  input: Record<string, unknown>
  label: { class: string; kind: string | null; retryAfterMs?: number | null }
  confidence?: string
}

/** A line of a corpus file cannot be graded. The message names the line and the fix. */
export class CorpusError extends Error {
  override name = 'CorpusError'
}

const SURFACES = ['cli', 'mcp', 'http', 'sdk', 'system', 'value']

/** Reads a corpus file. Throws a {@link CorpusError} that names file and line. */
export function parseCorpus(text: string, file: string): CorpusEntry[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    return [parseEntry(line, `${file}:${index + 1}`)]
  })
}

function parseEntry(line: string, place: string): CorpusEntry {
  let entry: Partial<CorpusEntry>
  try {
    entry = JSON.parse(line) as Partial<CorpusEntry>
  } catch (error) {
    throw new CorpusError(`${place}: not JSON: ${(error as Error).message}`)
  }
  if (typeof entry !== 'object' || entry === null)
    throw new CorpusError(`${place}: an entry must be a JSON object`)
  if (typeof entry.id !== 'string') throw new CorpusError(`${place}: an entry needs an "id" of type string`)
  if (typeof entry.input !== 'object' || entry.input === null)
    throw new CorpusError(`${place}: entry ${entry.id} needs an "input" object`)
  if (typeof entry.label?.class !== 'string')
    throw new CorpusError(`${place}: entry ${entry.id} needs a "label" with a "class"`)
  checkLabel(entry as CorpusEntry, place)
  if (!SURFACES.includes(entry.surface as string)) {
    throw new CorpusError(
      `${place}: entry ${entry.id} has surface ${JSON.stringify(entry.surface)}; one of: ${SURFACES.join(', ')}`,
    )
  }
  return entry as CorpusEntry
}

/** Checks the class: with a mistyped one, every right answer would count as wrong. */
function checkLabel({ id, label }: CorpusEntry, place: string): void {
  if (label.class !== 'none' && !isFailureClass(label.class)) {
    const known = [...Object.keys(KINDS), 'none']
    throw new CorpusError(
      `${place}: entry ${id} has class ${quoted(label.class, known)}; one of: ${known.join(', ')}`,
    )
  }
}

/** Kinds in labels that do not exist, each with the nearest one that does. They would all count as wrong. */
export function unknownKinds(entries: readonly CorpusEntry[]): string[] {
  const kinds = new Set(entries.flatMap(({ label: { kind } }) => (kind ? [kind] : [])))
  return [...kinds]
    .filter(kind => kind !== 'none' && !isFailureKind(kind))
    .map(kind => quoted(kind, Object.values(KINDS).flat()))
}

function quoted(word: string, known: readonly string[]): string {
  const guess = nearest(word, known)
  return `${JSON.stringify(word)}, which is unknown${guess ? `; did you mean ${guess}?` : ''}`
}

/** The arguments of `classify` for an entry. */
export function inputOf(
  entry: CorpusEntry,
  { withProvider }: { withProvider: boolean },
): [unknown, ClassifyContext & { now?: number }] {
  const { input, surface, provider } = entry
  const now = typeof input.now === 'string' ? Date.parse(input.now) : undefined
  const context: ClassifyContext & { now?: number } = {
    ...(withProvider && provider !== undefined ? { provider } : {}),
    ...(now === undefined || Number.isNaN(now) ? {} : { now }),
    ...(surface === 'value' ? { returned: true } : {}),
  }
  if (surface === 'value') return [input.value, context]
  if (surface === 'sdk' || surface === 'system') return [rebuildError(input.error), context]
  const { now: _now, ...rest } = input
  return [rest, context]
}

const MOST_CAUSES = 50

/** Rebuilds an Error from its plain JSON form: class name, fields, causes and parts. */
export function rebuildError(plain: unknown, depth = 0): unknown {
  if (typeof plain !== 'object' || plain === null || depth > MOST_CAUSES) return plain
  if (Array.isArray(plain)) return plain.map(part => rebuildError(part, depth + 1))
  const fields = plain as Record<string, unknown>
  if (typeof fields.message !== 'string' || (fields.constructorName ?? fields.name) === undefined)
    return plain
  const className = String(fields.constructorName ?? 'Error')
  const Rebuilt = { [className]: class extends Error {} }[className] as new (message: string) => Error
  const error = new Rebuilt(fields.message)
  for (const [key, value] of Object.entries(fields)) {
    if (key === 'constructorName') continue
    const inner =
      key === 'cause' || key === 'lastError' || key === 'errors' ? rebuildError(value, depth + 1) : value
    Object.defineProperty(error, key, {
      value: inner,
      enumerable: key !== 'message' && key !== 'cause',
      writable: true,
      configurable: true,
    })
  }
  return error
}
