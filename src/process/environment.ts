/** The environment variable with Mulligan's own key for secrets. No child process ever sees it. */
export const SECRET_KEY_VARIABLE = 'MULLIGAN_SECRET_KEY'

/** The environment for child processes: everything except Mulligan's own key, which decrypts every stored secret. */
export function childEnvironment(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string | undefined> {
  const { [SECRET_KEY_VARIABLE]: _key, ...rest } = env
  return rest
}
