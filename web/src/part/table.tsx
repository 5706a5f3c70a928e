import type { ComponentChildren } from 'preact'

/** A table whose rows become cards on a narrow screen. */
export function Table({
  heads,
  hasActions = false,
  children,
}: {
  heads: readonly string[]
  /** Whether a last column has buttons, and no visible heading. */
  hasActions?: boolean
  children: ComponentChildren
}) {
  return (
    <div class="scroll-x">
      <table class="table stacking">
        <thead>
          <tr>
            {heads.map(head => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            {hasActions ? (
              <th scope="col">
                <span class="unseen">Actions</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
