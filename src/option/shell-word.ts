/**
 * A value as one word for a POSIX shell, in a command that a person may copy. Control characters are written as `$'\x1b'`, so
 * neither a terminal nor the shell obeys them.
 */
export function shellWord(value: string): string {
  if (/^[\w@%+=:,./-]+$/.test(value)) return value
  if (!/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/u.test(value)) return `'${value.replaceAll("'", String.raw`'\''`)}'`
  const escaped = value
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replaceAll(/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu, char =>
      [...new TextEncoder().encode(char)].map(byte => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
    )
  return `$'${escaped}'`
}
