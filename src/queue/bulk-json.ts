import { jsonWriter } from '../shape/json-writer.ts'
import type { BulkPreview } from './bulk-outcome.ts'
import { preview } from './bulk-shape.ts'

const write = jsonWriter(preview)

/** What an action on many operations would do, in JSON. */
export function previewToJson({ moves, ...given }: BulkPreview) {
  const needPerson = moves.filter(({ needsPerson }) => needsPerson !== undefined).length
  return write({ ...given, needsPerson: needPerson === 0 ? undefined : needPerson, operations: moves })
}
