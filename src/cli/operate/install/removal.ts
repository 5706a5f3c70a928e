import { rmdirSync, rmSync } from 'node:fs'
import { sep } from 'node:path'
import { parseJsonc, valueOfNode } from '../../../gateway/mcp/client/jsonc.ts'
import { quietly } from '../../../time/clean-up.ts'
import { UsageError } from '../../flag/arguments.ts'
import { ClientFile } from '../mcp/client-file.ts'
import { isTraceOf, type Patch, undone } from './patch.ts'
import type { Piece } from './piece.ts'
import { type Installation, type WrittenFile, writeInstallation } from './record.ts'

/** What removing does to one file. */
export type Removal =
  | { how: 'gone'; file: string }
  /** Nothing of Mulligan is in it. */
  | { how: 'untouched'; file: string }
  | { how: 'delete'; file: ClientFile }
  | { how: 'change'; file: ClientFile; text: string }
  /** Somebody changed what was installed. */
  | { how: 'stuck'; file: string }

/**
 * What taking an installation away changes.
 * @param pieces what the client gets: a record that names any other file is not believed
 */
export function removals(
  { client, files, project }: Installation,
  pieces: readonly Piece[],
): readonly Removal[] {
  return files.map(written => {
    const own = pieces.filter(({ file }) => file === written.file)
    if (own.length === 0)
      throw new UsageError(
        `${written.file} is not among the files of ${client} here, so nothing was changed; were its variables others when it was installed?`,
      )
    return removalOf(written, own, ClientFile.read(written.file, project))
  })
}

function removalOf(
  { file: path, isNew, patches }: WrittenFile,
  pieces: readonly Piece[],
  file: ClientFile,
): Removal {
  if (!file.isThere) return { how: 'gone', file: path }
  let text: string | undefined = file.text
  for (const patch of patches.toReversed())
    text = text === undefined ? undefined : without(text, patch, pieces)
  if (text === undefined) return { how: 'stuck', file: path }
  if (isNew && isHollow(text)) return { how: 'delete', file }
  return text === file.text ? { how: 'untouched', file: path } : { how: 'change', file, text }
}

/** Byte by byte if the place is as it was written; else the entry itself, because clients write their files anew. */
function without(text: string, patch: Patch, pieces: readonly Piece[]): string | undefined {
  const restored = undone(text, patch)
  const parts = pieces.flatMap(piece => ('own' in piece ? [] : [piece]))
  const meant = patch.part === undefined ? parts : parts.filter(({ part }) => part === patch.part)
  if (meant.length === 0) return restored ?? (isTraceOf(text, patch) ? undefined : text)
  try {
    if (restored !== undefined && meant.every(piece => piece.without(restored) === restored)) return restored
    let rest: string | undefined = text
    for (const piece of meant) rest = rest === undefined ? undefined : piece.without(rest)
    return rest
  } catch {
    // A file that cannot be read now is for a person.
    return undefined
  }
}

/** Whether a file that was made for Mulligan holds nothing any more. */
function isHollow(text: string): boolean {
  if (text.trim() === '') return true
  try {
    return isEmpty(valueOfNode(parseJsonc(text)))
  } catch {
    return false
  }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every(isEmpty)
}

/** Takes an installation away. Its record stays for the files that are stuck. */
export function remove(
  planned: readonly Removal[],
  installation: Installation,
  pieces: readonly Piece[],
  record: string,
): void {
  for (const removal of planned) if (removal.how === 'change') removal.file.checkWritable()
  for (const removal of planned) {
    if (removal.how === 'delete') rmSync(removal.file.file)
    if (removal.how === 'change') removal.file.write(removal.text)
  }
  const made = installation.folders.filter(folder => pieces.some(({ file }) => file.startsWith(folder + sep)))
  for (const folder of made.toReversed()) void quietly(() => rmdirSync(folder))
  const stuck = new Set(planned.flatMap(removal => (removal.how === 'stuck' ? [removal.file] : [])))
  const files = installation.files.filter(({ file }) => stuck.has(file))
  if (files.length > 0) writeInstallation(record, { ...installation, files })
  else rmSync(record, { force: true })
}
