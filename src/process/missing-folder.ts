import { statSync } from 'node:fs'
import { MEANING, type MeaningfulError, type OwnMeaning } from '../failure/own-error.ts'

/** The folder that a program was to run in is not there, or is no folder. */
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
 * The true cause of a program that could not start. Node blames the program where its working folder is missing, and a
 * missing program would be looked for in vain.
 */
export function startError(error: NodeJS.ErrnoException, program: string, cwd: string | undefined): Error {
  const mayBeFolder = error.code === 'ENOENT' || error.code === 'ENOTDIR'
  if (cwd === undefined || !mayBeFolder) return error
  const isFolder = statSync(cwd, { throwIfNoEntry: false })?.isDirectory() ?? false
  return isFolder ? error : new MissingFolder(cwd, program, { cause: error })
}
