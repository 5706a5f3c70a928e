import { shellWord } from '../option/shell-word.ts'
import { ConfigError } from './error.ts'

/** A config found by searching upward that is not trusted in its current form. The message says what to do. */
export class UntrustedConfig extends ConfigError {
  override name = 'UntrustedConfig'

  constructor(file: string) {
    super(
      file,
      `not trusted (new or changed), so it may not start programs, load modules or send credentials; to trust it: mulligan config trust ${shellWord(file)}`,
    )
  }
}
