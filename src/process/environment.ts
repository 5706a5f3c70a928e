/** Variable that holds Mulligan's own key for secrets. No child process ever sees it. */
export const SECRET_KEY_VARIABLE = 'MULLIGAN_SECRET_KEY'

/**
 * The environment of every child process: all of it except Mulligan's own key, which opens every stored secret.
 */
export function childEnvironment(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string | undefined> {
  const { [SECRET_KEY_VARIABLE]: _key, ...rest } = env
  return rest
}
