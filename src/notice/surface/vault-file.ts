import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MEANING, type MeaningfulError, type OwnMeaning } from '../../failure/own-error.ts'
import { cleaningUp, quietly } from '../../time/clean-up.ts'

/** Bytes at the end of a note that are searched for a message. */
const TAIL_BYTES = 4 * 1_048_576

/** The note cannot be written as configured. Retrying does not help. */
export class UnusableNote extends Error implements MeaningfulError {
  override name = 'UnusableNote'

  get [MEANING](): OwnMeaning {
    return { kind: 'config' }
  }
}

/** A note file in a vault. It cannot lead outside, neither by its path nor through symbolic links. */
export class VaultFile {
  readonly #vault: string
  readonly #steps: readonly string[]

  /** @param note relative path; checked when the config was read, and again here */
  constructor(vault: string, note: string) {
    this.#vault = vault
    this.#steps = note.split('/')
    if (this.#steps.some(step => step === '' || step === '.' || step === '..' || /[\\\0]/.test(step)))
      throw new UnusableNote(`the note ${JSON.stringify(note)} is not a path within the vault`)
  }

  /** Appends to the note in one write. Creates the note and its folders if missing. */
  async append(text: string): Promise<void> {
    const file = await this.#file({ make: true })
    const handle = await open(
      file,
      constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
      0o600,
    )
    await cleaningUp(
      async () => {
        await checkFile(handle, file)
        await handle.appendFile(text)
        await handle.sync()
      },
      () => handle.close(),
    )
  }

  /** The end of the note; undefined if the note does not exist. */
  async tail(): Promise<string | undefined> {
    try {
      const file = await this.#file({ make: false })
      const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW)
      try {
        const { size } = await checkFile(handle, file)
        const length = Math.min(size, TAIL_BYTES)
        const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length)
        return buffer.toString('utf8')
      } finally {
        await quietly(() => handle.close())
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  /** Changes the text of the note at once: a reader sees the old or the new text. A very long note stays as it is. */
  async change(change: (text: string) => string): Promise<void> {
    const file = await this.#file({ make: false })
    const { text, mode } = await readWhole(file)
    const changed = change(text)
    if (changed === text) return
    const beside = `${file}.${randomBytes(6).toString('hex')}.tmp`
    try {
      await writeFile(beside, changed, { flag: 'wx', mode: mode & 0o777, flush: true })
      await rename(beside, file)
    } catch (error) {
      await quietly(() => rm(beside, { force: true }))
      throw error
    }
  }

  async #file({ make }: { make: boolean }): Promise<string> {
    let at = await realpath(this.#vault)
    for (const step of this.#steps.slice(0, -1)) {
      at = join(at, step)
      if (make)
        await mkdir(at).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error
        })
      const found = await lstat(at)
      if (found.isSymbolicLink())
        throw new UnusableNote(`${at} is a symbolic link, which may lead out of the vault`)
      if (!found.isDirectory()) throw new UnusableNote(`${at} is not a folder`)
    }
    const file = join(at, this.#steps.at(-1) as string)
    // A folder may have been replaced by a link since the check above.
    if ((await realpath(dirname(file))) !== at) throw new UnusableNote(`${at} leads out of the vault`)
    return file
  }
}

/** The text of a file; empty if it is too long to be rewritten for one line. */
async function readWhole(file: string): Promise<{ text: string; mode: number }> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { size, mode } = await checkFile(handle, file)
    return { text: size > TAIL_BYTES ? '' : await handle.readFile('utf8'), mode }
  } finally {
    await quietly(() => handle.close())
  }
}

async function checkFile(handle: FileHandle, file: string): Promise<{ size: number; mode: number }> {
  const found = await handle.stat()
  if (!found.isFile()) throw new UnusableNote(`${file} is not a file`)
  return found
}
