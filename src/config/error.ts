/** A config file that cannot be used: says which file, where in it, what is wrong and what would be right. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly code = 'CONFIG'
  readonly file: string

  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(`${file}: ${problem}`, options)
    this.file = file
  }
}
