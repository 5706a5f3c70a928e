import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { resultFiles } from '../capability/result.ts'
import { SECRET_KEY_VARIABLE } from '../capability/secret/key.ts'
import { KEY_FILE_NAME, parseKeys } from '../capability/secret/key-ring.ts'
import { makeFolder } from '../config/make-folder.ts'
import { LedgerError } from '../ledger/error.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { LEDGER_NAME } from '../ledger/location.ts'
import { checkFile } from '../ledger/sqlite/check-file.ts'
import { quietly } from '../time/clean-up.ts'
import { RESULTS_FOLDER } from './open.ts'

/** A key is a line of 43 characters; nobody rotates a thousand times. */
const LARGEST_KEY_FILE = 65_536

/** What a backup contains, or what was restored. */
export interface BackedUp {
  /** Operations in the ledger. */
  operations: number
  /** Files of large results. */
  results: number
  /** Whether it includes the key of secret parameters. */
  withKey: boolean
}

/**
 * Copies a data folder into a new folder: the ledger as of one moment, the large results, and the key if `withKey`. Runners keep
 * running. The new folder appears once it is complete; an existing one is refused.
 */
export async function backUp(
  ledger: Pick<Ledger, 'backup'>,
  data: string,
  target: string,
  { withKey = false, env = {} }: { withKey?: boolean; env?: Record<string, string | undefined> } = {},
): Promise<BackedUp> {
  if (existsSync(target))
    throw new LedgerError('exists', `${target} already exists: a backup never replaces a file or a folder`)
  if (withKey && !existsSync(join(data, KEY_FILE_NAME))) {
    const where = env[SECRET_KEY_VARIABLE]
      ? `the key is in the variable ${SECRET_KEY_VARIABLE}: keep that yourself, and back up without the key`
      : `${join(data, KEY_FILE_NAME)} is missing`
    throw new LedgerError('io', `no key to copy: ${where}`)
  }
  return inDraft(target, async draft => {
    // The ledger first: every file it names exists by now and is copied next.
    await ledger.backup(join(draft, LEDGER_NAME))
    return { ...(await copyRest(data, draft, withKey)), operations: checked(join(draft, LEDGER_NAME)) }
  })
}

/**
 * Restores a backup as a data folder. Checks it before anything is written, and refuses a folder that contains a ledger, results
 * or another key. The ledger comes last, by renaming: until then there is none.
 */
export async function restore(backup: string, data: string): Promise<BackedUp> {
  refuseIrregular(join(backup, LEDGER_NAME))
  const operations = checked(join(backup, LEDGER_NAME))
  const taken = (await entriesOf(data)).filter(
    name => name.startsWith(LEDGER_NAME) || name === RESULTS_FOLDER,
  )
  if (taken.length > 0)
    throw new LedgerError(
      'exists',
      `${data} already contains ${taken.join(', ')}, and a restore never replaces anything: pass an empty folder with --data, or move those files away`,
    )
  const withKey = existsSync(join(backup, KEY_FILE_NAME))
  if (withKey) checkKeys(join(backup, KEY_FILE_NAME))
  if (withKey && existsSync(join(data, KEY_FILE_NAME)))
    throw new LedgerError('exists', `${join(data, KEY_FILE_NAME)} is a different key: move it away first`)
  makeFolder(data)
  const draft = await mkdtemp(join(data, '.restore-'))
  try {
    await copyPrivately(join(backup, LEDGER_NAME), join(draft, LEDGER_NAME))
    const { results } = await copyRest(backup, draft, withKey)
    checked(join(draft, LEDGER_NAME))
    for (const name of [RESULTS_FOLDER, KEY_FILE_NAME, LEDGER_NAME])
      if (existsSync(join(draft, name))) await rename(join(draft, name), join(data, name))
    return { operations, results, withKey }
  } finally {
    await quietly(() => rm(draft, { recursive: true, force: true }))
  }
}

/** Fills a folder next to the target and renames it once complete, so that a partial one is never mistaken for a backup. */
async function inDraft<T>(target: string, fill: (draft: string) => Promise<T>): Promise<T> {
  makeFolder(dirname(resolve(target)))
  const draft = await mkdtemp(join(dirname(resolve(target)), `.${basename(target)}-`))
  try {
    const filled = await fill(draft)
    await rename(draft, target)
    return filled
  } catch (error) {
    await quietly(() => rm(draft, { recursive: true, force: true }))
    throw error
  }
}

async function copyRest(
  from: string,
  to: string,
  withKey: boolean,
): Promise<Pick<BackedUp, 'results' | 'withKey'>> {
  const files = (await resultFiles(join(from, RESULTS_FOLDER))).filter(({ isDraft }) => !isDraft)
  if (files.length > 0) await mkdir(join(to, RESULTS_FOLDER), { mode: 0o700 })
  let results = 0
  for (const { name } of files) {
    // A result pruned meanwhile needs no copy.
    const isCopied = await copyPrivately(
      join(from, RESULTS_FOLDER, name),
      join(to, RESULTS_FOLDER, name),
    ).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return false
    })
    if (isCopied) results++
  }
  if (withKey) await copyPrivately(join(from, KEY_FILE_NAME), join(to, KEY_FILE_NAME))
  return { results, withKey }
}

async function copyPrivately(from: string, to: string): Promise<true> {
  await copyFile(from, to)
  await chmod(to, 0o600)
  return true
}

/** A key file that we could have written: no secret would be sealed with anything else. */
function checkKeys(file: string): void {
  refuseIrregular(file)
  if (statSync(file).size > LARGEST_KEY_FILE)
    throw new LedgerError('corrupt', `${file} is larger than any file of keys`)
  if (parseKeys(readFileSync(file, 'utf8').split('\n'), file).length === 0)
    throw new LedgerError('corrupt', `${file} contains no key`)
}

/** A backup has no links, pipes or devices: what they lead to is not ours to copy, and a pipe would wait for ever. */
function refuseIrregular(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new LedgerError('corrupt', `${file} is no regular file, as a backup has it`)
}

/** How many operations a valid ledger contains. Throws if it is damaged. */
function checked(file: string): number {
  const { operations, findings } = checkFile(file)
  const [first] = findings
  if (first) throw new LedgerError('corrupt', `${file} is damaged: ${first.rule}: ${first.message}`)
  return operations
}

async function entriesOf(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}
