/** Who a process belongs to: the one that labels are given by unless somebody else is named. */
export function operatorOf({ USER, LOGNAME }: Readonly<Record<string, string | undefined>>): string {
  return USER || LOGNAME || 'operator'
}
