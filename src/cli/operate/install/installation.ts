import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { quietly } from '../../../time/clean-up.ts'
import { ClientFile } from '../mcp/client-file.ts'
import { type Patch, patchOf, undone } from './patch.ts'
import type { Piece } from './piece.ts'

/** What an installation has written, so that it can be taken away byte by byte. */
export interface Installation {
  client: string
  /** The project, if it is installed there. */
  project?: string
  /** Words that start Mulligan there. */
  words: readonly string[]
  files: readonly WrittenFile[]
  /** Folders that were made for it, the outermost first. */
  folders: readonly string[]
}

/** A file of an installation: made for it, or changed in some places. */
export interface WrittenFile {
  file: string
  /** Whether it did not exist before. */
  isNew: boolean
  patches: readonly Patch[]
}

/** A file as it is, and as it will be. */
export interface Change {
  file: ClientFile
  text: string
  patches: readonly Patch[]
}

const FOLDER = 'install'

/** Where it is remembered what was installed. */
export function recordFile(dataFolder: string, client: string, project: string | undefined): string {
  const where =
    project === undefined ? '' : `-${createHash('sha256').update(project).digest('hex').slice(0, 12)}`
  return join(dataFolder, FOLDER, `${client}${where}.json`)
}

/** The installation of a record; undefined if there is none. */
export function readInstallation(file: string): Installation | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Installation
  } catch {
    return undefined
  }
}

/** All installations that a data folder knows. */
export function installations(dataFolder: string): readonly Installation[] {
  const folder = join(dataFolder, FOLDER)
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap(name => readInstallation(join(folder, name)) ?? [])
}

/**
 * What installing changes.
 * @param within the project, whose links are not followed
 */
export function changesFor(pieces: readonly Piece[], within: string | undefined): readonly Change[] {
  const changes = new Map<string, Change>()
  for (const piece of pieces) {
    const known = changes.get(piece.file)
    const file = known?.file ?? ClientFile.read(piece.file, within)
    const before = known?.text ?? file.text
    const text = 'own' in piece ? piece.own : piece.edit(before)
    const patches = known?.patches ?? []
    changes.set(piece.file, {
      file,
      text,
      patches: text === before ? patches : [...patches, patchOf(before, text)],
    })
  }
  return [...changes.values()].filter(({ patches }) => patches.length > 0)
}

/** Writes all changes; first of all the record, so that an interrupted installation can be removed. */
export function apply(
  changes: readonly Change[],
  about: Pick<Installation, 'client' | 'project' | 'words'>,
  record: string,
): void {
  const folders = changes.flatMap(({ file }) => missingFolders(dirname(file.file)))
  const installation: Installation = {
    ...about,
    files: changes.map(({ file, patches }) => ({ file: file.file, isNew: !file.isThere, patches })),
    folders: [...new Set(folders)],
  }
  mkdirSync(dirname(record), { recursive: true, mode: 0o700 })
  ClientFile.read(record).write(`${JSON.stringify(installation, undefined, 2)}\n`)
  for (const { file, text } of changes) file.write(text)
}

function missingFolders(folder: string): string[] {
  return existsSync(folder) ? [] : [...missingFolders(dirname(folder)), folder]
}

/** What removing does to one file. */
export type Removal =
  | { how: 'gone'; file: string }
  | { how: 'delete'; file: ClientFile }
  | { how: 'change'; file: ClientFile; text: string }
  /** Somebody changed what was installed. */
  | { how: 'stuck'; file: string }

/** What taking an installation away changes. */
export function removals({ files, project }: Installation): readonly Removal[] {
  return files.map(({ file: path, isNew, patches }): Removal => {
    const file = ClientFile.read(path, project)
    if (!file.isThere) return { how: 'gone', file: path }
    // Interrupted before this file was written: nothing of it is there.
    let text: string | undefined = file.text
    for (const patch of patches.toReversed()) text = text === undefined ? undefined : undone(text, patch)
    if (text === undefined) return { how: 'stuck', file: path }
    return isNew && text === '' ? { how: 'delete', file } : { how: 'change', file, text }
  })
}

/** Takes an installation away, and its record. */
export function remove(
  planned: readonly Removal[],
  { folders }: Pick<Installation, 'folders'>,
  record: string,
): void {
  for (const removal of planned) {
    if (removal.how === 'delete') rmSync(removal.file.file)
    if (removal.how === 'change') removal.file.write(removal.text)
  }
  for (const folder of folders.toReversed()) void quietly(() => rmdirSync(folder))
  rmSync(record, { force: true })
}
