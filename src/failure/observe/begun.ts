import { elements, type Fields, isObject } from './read.ts'
import type { ReadFields } from './value-meaning.ts'

/** True for an event of a model's stream that holds a part of the answer: what failed after it had begun its work. */
export function isPartOfAnswer(event: object, read: ReadFields): boolean {
  const fields = read(event)
  const names = [fields.get('type'), ...fields.keys()]
  if (names.some(name => typeof name === 'string' && DELTA.test(name))) return true
  return (
    firstOf(fields, 'choices', read).some(
      choice => isText(choice.get('text')) || isDelta(choice.get('delta'), read),
    ) || firstOf(fields, 'candidates', read).some(candidate => hasParts(candidate.get('content'), read))
  )
}

/** What streams call a piece of the answer. The one of a whole message only says how it ended. */
const DELTA = /(?<!^message)(?:[._-]delta|[a-z]Delta)$/

function isText(said: unknown): boolean {
  return typeof said === 'string' && said !== ''
}

function firstOf(fields: Fields, name: string, read: ReadFields): Fields[] {
  return elements(fields.get(name), 1)
    .filter(isObject)
    .map(item => read(item))
}

/** Besides the role, which comes before the answer. */
function isDelta(delta: unknown, read: ReadFields): boolean {
  if (!isObject(delta)) return false
  return [...read(delta)].some(([name, said]) => name !== 'role' && said !== '' && said !== null)
}

function hasParts(content: unknown, read: ReadFields): boolean {
  return isObject(content) && elements(read(content).get('parts'), 1).length > 0
}
