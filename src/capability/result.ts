import { randomBytes } from 'node:crypto'
import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder } from '../config/make-folder.ts'
import { checkPrivateFolder } from '../config/private-folder.ts'
import type { ResultStore } from '../ledger/result-store.ts'
import { cleaningUp } from '../time/clean-up.ts'
import { toJson } from './json.ts'
import type { Mask } from './secret/mask.ts'

/** The largest result, in bytes of JSON, that is stored with the operation; a larger one is cut or goes into a file. */
export const RESULT_LIMIT_DEFAULT_BYTES = 65_536
const PREVIEW_CHARACTERS = 4_000

/** What is stored in place of a result that is too large. */
export interface CutResult {
  $cut: {
    /** Size of the whole result as JSON. */
    bytes: number
    /** For people: what happened and where the rest is. */
    note: string
    /** The beginning of the JSON. */
    preview: string
    /** Names of its fields, if it is an object. */
    keys?: string[]
    /** The file in the results folder with the whole result. Absent if it is in the ledger or only the preview was kept. */
    file?: string
    /** The run whose whole result is in the ledger, where that keeps large results. */
    run?: number
  }
}

/** How a result is stored. */
export interface StoreOptions {
  /** Largest result stored with the operation, in bytes of JSON. Default 64 KiB. */
  limitBytes?: number
  /** Largest result kept in a file, in bytes of JSON; of a larger one only the beginning is kept. Default: no limit. */
  maxBytes?: number
  /** Folder for files with larger results. Default: none; they are cut. */
  folder?: string
  /** Keeps larger results in the ledger, which comes before the folder. Default: none. */
  store?: Pick<ResultStore, 'mostBytes' | 'keep'>
  /** Id of the operation; part of the file name. */
  operation: string
  /** Number of the run; part of the file name. */
  run: number
  /** Hides the secrets of the run, before anything is cut. */
  mask?: Mask
}

/** A result, and whether it stands for a larger one. A flag says so, not the content, because a program may return anything. */
export interface StoredResult {
  /** Absent if the work returned nothing. */
  result?: unknown
  resultCut?: boolean
}

/** Stores a result whole, or cut with a note. If its file cannot be written, the result is cut too. */
export async function storeResult(value: unknown, options: StoreOptions): Promise<StoredResult> {
  const { limitBytes = RESULT_LIMIT_DEFAULT_BYTES, maxBytes = Infinity, operation, run, mask } = options
  const json = toJson(value)
  const hidden = mask ? mask.value(json) : json
  const text = JSON.stringify(hidden)
  if (text === undefined) return {}
  const bytes = Buffer.byteLength(text)
  if (bytes <= limitBytes) return { result: hidden }
  const isKept = bytes <= maxBytes && (await isKeptIn(options.store, { operation, run, text, bytes }))
  const folder = bytes <= maxBytes && !isKept ? options.folder : undefined
  const file =
    folder === undefined ? undefined : await writeResult(folder, `${fileStem(operation)}.${run}.json`, text)
  const note = isKept
    ? `the result is larger than ${limitBytes} bytes; the full result is in the ledger`
    : !file || 'problem' in file
      ? `the result is larger than ${bytes > maxBytes ? maxBytes : limitBytes} bytes; only the beginning was kept${file ? `, because its file could not be written: ${file.problem}` : ''}`
      : `the result is larger than ${limitBytes} bytes; the full result is in ${join(folder as string, file.name)}`
  const isObject = typeof hidden === 'object' && hidden !== null && !Array.isArray(hidden)
  const cut: CutResult = {
    $cut: {
      bytes,
      note,
      preview: text.slice(0, Math.min(PREVIEW_CHARACTERS, limitBytes)),
      ...(isObject && { keys: Object.keys(hidden).slice(0, 100) }),
      ...(file && 'name' in file && { file: file.name }),
      ...(isKept && { run }),
    },
  }
  return { result: cut, resultCut: true }
}

/** Keeps a result in the ledger, if that takes it. What the ledger refuses goes where it would go without it. */
async function isKeptIn(
  store: StoreOptions['store'],
  { operation, run, text, bytes }: { operation: string; run: number; text: string; bytes: number },
): Promise<boolean> {
  if (store === undefined || bytes > store.mostBytes) return false
  try {
    await store.keep(operation, run, text)
    return true
  } catch {
    return false
  }
}

/** Whether a stored result stands for one that was too large. */
export function isCut(stored: StoredResult): stored is { result: CutResult; resultCut: true } {
  if (stored.resultCut !== true || typeof stored.result !== 'object' || stored.result === null) return false
  const { $cut } = stored.result as { $cut?: unknown }
  return typeof $cut === 'object' && $cut !== null
}

/** Where a whole result may be. */
export interface ResultPlaces {
  /** Id of the operation. */
  operation: string
  folder?: string | undefined
  store?: Pick<ResultStore, 'kept'> | undefined
}

/** The whole result of an operation, from the ledger or its file; a cut one that is in neither is returned as stored. */
export async function wholeResult(
  stored: StoredResult,
  { operation, folder, store }: ResultPlaces,
): Promise<unknown> {
  if (!isCut(stored)) return stored.result
  const name = nameOf(stored.result, operation)
  if (name === undefined) return stored.result
  try {
    // A file of before may have been taken into the ledger since.
    const json = await store?.kept(operation, Number(name.split('.')[1]))
    if (json !== undefined) return JSON.parse(json) as unknown
    return folder === undefined
      ? stored.result
      : (JSON.parse(await readFile(join(folder, name), 'utf8')) as unknown)
  } catch {
    return stored.result
  }
}

/** The name of the file that has a whole result, or would have it if the ledger did not; undefined if it was not kept. */
export function nameOf({ $cut: { file, run } }: CutResult, operation: string): string | undefined {
  const name = file ?? (run === undefined ? undefined : `${fileStem(operation)}.${run}.json`)
  // The name comes from the ledger, and must not lead elsewhere.
  return name !== undefined && /^[\w-]+\.\d+\.json$/.test(name) ? name : undefined
}

/** A file of this module in the results folder; other files there are ignored. */
export interface ResultFile {
  /** Within the folder. */
  name: string
  /** Id of the operation it belongs to. */
  operation: string
  /** Number of the run that wrote it. */
  run: number
  /** Not renamed yet: being written, or left by a crash. */
  isDraft: boolean
}

const FILE = /^(?<dot>\.?)(?<operation>op_\d+)\.(?<run>\d+)\.json(?<draft>\.[0-9a-f]{8})?$/

/** The result files in a folder; none if the folder does not exist. */
export async function resultFiles(folder: string): Promise<ResultFile[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return entries.flatMap(entry => {
    const { dot, operation, run, draft } = FILE.exec(entry.name)?.groups ?? {}
    const isDraft = dot === '.'
    if (!entry.isFile() || operation === undefined || isDraft !== (draft !== undefined)) return []
    return [{ name: entry.name, operation, run: Number(run), isDraft }]
  })
}

/** Removes the files of deleted operations. Returns how many there were. */
export async function removeResults(folder: string, operations: readonly string[]): Promise<number> {
  const stems = new Set(operations.map(fileStem))
  const old = (await resultFiles(folder)).filter(({ operation }) => stems.has(operation))
  return removeFiles(folder, old)
}

/** Removes these files; one that cannot be removed does not stop the others. Returns how many there were. */
export async function removeFiles(
  folder: string,
  files: readonly Pick<ResultFile, 'name'>[],
): Promise<number> {
  const removed = await Promise.allSettled(files.map(({ name }) => rm(join(folder, name), { force: true })))
  const failed = removed.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  return files.length
}

/** Writes the result of a run to its file. Throws if it cannot be written. */
export async function writeResultFile(
  folder: string,
  { operation, run }: { operation: string; run: number },
  json: string,
): Promise<void> {
  const written = await writeResult(folder, `${fileStem(operation)}.${run}.json`, json)
  if ('problem' in written) throw new Error(`a result could not be written: ${written.problem}`)
}

/** Writes to a draft and renames it, so a crash leaves no half file; one file per run, so a stale run changes nothing. */
async function writeResult(
  folder: string,
  name: string,
  text: string,
): Promise<{ name: string } | { problem: string }> {
  const draft = join(folder, `.${name}.${randomBytes(4).toString('hex')}`)
  try {
    checkPrivateFolder(dirname(folder), [basename(folder)])
    makeFolder(folder)
    const handle = await open(draft, 'wx', 0o600)
    await cleaningUp(
      async () => {
        await handle.writeFile(text)
        await handle.sync()
      },
      () => handle.close(),
    )
    await rename(draft, join(folder, name))
    return { name }
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    return {
      problem: error instanceof Error ? error.message : process.getBuiltinModule('node:util').inspect(error),
    }
  }
}

/** Ids come from the ledger; here they can only name a file. */
function fileStem(operation: string): string {
  return operation.replace(/[^\w-]/g, '_')
}
