import { isRedacted } from '../../../failure/redact.ts'
import { UsageError } from '../../flag/arguments.ts'

/** Warns if a header holds a secret itself: command lines and clients' files can be read by others. */
export function warnOfSecret(
  { name, value }: { name: string; value: string },
  warn: (text: string) => void,
): void {
  if (value.startsWith('env:') || isRedacted(`${name}: ${value}`)) return
  warn(
    `mulligan: --header ${name} holds a secret, which others can read on the command line; put it into a variable: --header "${name}: env:VARIABLE"\n`,
  )
}

/** A header as `--header` takes it: "Name: value". Throws a {@link UsageError}. */
export function readHeader(written: string): { name: string; value: string } {
  const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.+?)\s*$/.exec(written) ?? []
  if (name === undefined || value === undefined)
    throw new UsageError('--header takes "Name: value", such as "Authorization: env:GITHUB_AUTH"')
  return { name, value }
}
