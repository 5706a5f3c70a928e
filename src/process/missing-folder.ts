import { statSync } from 'node:fs'
import { MEANING, type MeaningfulError, type OwnMeaning } from '../failure/own-error.ts'

/** The working folder of a program does not exist or is not a folder. */
export class MissingFolder extends Error implements MeaningfulError {
  override readonly name = 'MissingFolder'

  constructor(folder: string, program: string, options: ErrorOptions) {
    super(`cannot run ${program} in ${folder}: no such folder`, options)
  }

  get [MEANING](): OwnMeaning {
    return { kind: 'config' }
  }
}

/**
 * The real reason a program could not start. If the working folder is missing, Node blames the program, which would send
 * users looking for the wrong thing.
 */
export function startError(error: NodeJS.ErrnoException, program: string, cwd: string | undefined): Error {
  const mayBeFolder = error.code === 'ENOENT' || error.code === 'ENOTDIR'
  if (cwd === undefined || !mayBeFolder) return error
  const isFolder = statSync(cwd, { throwIfNoEntry: false })?.isDirectory() ?? false
  return isFolder ? error : new MissingFolder(cwd, program, { cause: error })
}
