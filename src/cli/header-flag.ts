import { UsageError } from './arguments.ts'

/** A header as `--header` takes it: "Name: value". Throws a {@link UsageError}. */
export function readHeader(written: string): { name: string; value: string } {
  const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.+?)\s*$/.exec(written) ?? []
  if (name === undefined || value === undefined)
    throw new UsageError('--header takes "Name: value", such as "Authorization: env:GITHUB_AUTH"')
  return { name, value }
}
