import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { unreadable } from '../../../gateway/mcp/client/client-config.ts'
import { JsoncError } from '../../../gateway/mcp/client/jsonc.ts'
import { UsageError } from '../../flag/arguments.ts'
import { ClientFile } from '../mcp/client-file.ts'
import { type Patch, patchOf } from './patch.ts'
import type { Piece } from './piece.ts'
import { type Installation, writeInstallation } from './record.ts'

/** A file as it is, and as it will be. */
export interface Change {
  file: ClientFile
  text: string
  patches: readonly Patch[]
}

/**
 * What installing changes.
 * @param within the project, whose links are not followed
 * @param isKnown whether files of its own may be there already, from an earlier version
 */
export function changesFor(
  pieces: readonly Piece[],
  within: string | undefined,
  isKnown: boolean,
): readonly Change[] {
  const changes = new Map<string, Change>()
  for (const piece of pieces) {
    const known = changes.get(piece.file)
    const file = known?.file ?? ClientFile.read(piece.file, within)
    const before = known?.text ?? file.text
    const text = 'own' in piece ? piece.own : edited(piece, before)
    if ('own' in piece && file.isThere && text !== before && !isKnown)
      throw new UsageError(`${piece.file} is there already, and not from this version; move it away first`)
    const patches = known?.patches ?? []
    const part = 'own' in piece ? {} : { part: piece.part }
    changes.set(piece.file, {
      file,
      text,
      patches: text === before ? patches : [...patches, { ...patchOf(before, text), ...part }],
    })
  }
  const planned = [...changes.values()].filter(({ patches }) => patches.length > 0)
  for (const { file } of planned) file.checkWritable()
  return planned
}

function edited({ file, edit }: Extract<Piece, { part: string }>, text: string): string {
  try {
    return edit(text)
  } catch (error) {
    throw error instanceof JsoncError ? unreadable(file, text, error) : error
  }
}

/** Writes all changes; first of all the record, so that an interrupted installation can be removed. */
export function apply(
  changes: readonly Change[],
  about: Omit<Installation, 'files' | 'folders'>,
  record: string,
): void {
  const folders = changes.flatMap(({ file }) => missingFolders(dirname(file.file)))
  writeInstallation(record, {
    ...about,
    files: changes.map(({ file, patches }) => ({ file: file.file, isNew: !file.isThere, patches })),
    folders: [...new Set(folders)],
  })
  for (const { file, text } of changes) file.write(text)
}

function missingFolders(folder: string): string[] {
  return existsSync(folder) ? [] : [...missingFolders(dirname(folder)), folder]
}
