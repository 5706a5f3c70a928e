import type { BulkDone, BulkPreview } from './bulk-outcome.ts'

/** What an action on many operations would do, in JSON. */
export function previewToJson({ action, total, counts, steps }: BulkPreview) {
  const operations = steps.map(({ needsPerson, ...step }) => ({
    ...step,
    ...(needsPerson === undefined ? {} : { needs_person: needsPerson }),
  }))
  const needPerson = steps.filter(({ needsPerson }) => needsPerson !== undefined).length
  return { action, total, counts, ...(needPerson === 0 ? {} : { needs_person: needPerson }), operations }
}

/** What it did, in JSON. */
export function doneToJson({ counts, left }: BulkDone) {
  return { counts, left }
}
