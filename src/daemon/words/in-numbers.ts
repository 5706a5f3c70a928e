/** A count with its noun: `1 run`, `2 runs`. */
export function inNumbers(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
