/** Rows as aligned columns. Words are left-aligned, figures right-aligned: by default all but the first column are figures. */
export function tableOf(
  rows: readonly (readonly string[])[],
  other: 'figures' | 'words' = 'figures',
): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => (row[column] ?? '').length)))
  return rows
    .map(row =>
      row
        .map((cell, column) =>
          column === 0 || other === 'words'
            ? cell.padEnd(widths[column] as number)
            : cell.padStart(widths[column] as number),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
