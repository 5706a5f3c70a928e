/** A record of columns, in which those that can be NULL are optional. */
export type Filled<T> = { [K in keyof T as IsOptional<T[K]> extends true ? never : K]: T[K] } & {
  [K in keyof T as IsOptional<T[K]> extends true ? K : never]?: NonNullable<T[K]>
}

type IsOptional<V> = null extends V ? true : undefined extends V ? true : false

/** The columns that have a value, in their order: a record leaves out what is NULL. */
export function filled<T extends object>(columns: T): Filled<T> {
  const kept: Record<string, unknown> = {}
  for (const name in columns) if (columns[name] != null) kept[name] = columns[name]
  return kept as Filled<T>
}
