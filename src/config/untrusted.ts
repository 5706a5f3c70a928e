import { ConfigError } from './error.ts'
import { shellWord } from './shell-word.ts'

/** A config that was met in a folder above, and that nobody has trusted as it is now. Says what to do about it. */
export class UntrustedConfig extends ConfigError {
  override name = 'UntrustedConfig'

  constructor(file: string) {
    super(
      file,
      `not trusted (new or changed), so it may not start programs, load modules or send credentials; to trust it: mulligan config trust ${shellWord(file)}`,
    )
  }
}
