/** The user that runs this process, recorded as the author of labels by default. */
export function operatorOf({ USER, LOGNAME }: Readonly<Record<string, string | undefined>>): string {
  return USER || LOGNAME || 'operator'
}
