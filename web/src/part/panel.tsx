import type { ComponentChildren } from 'preact'

/** A section of a page with its own heading. */
export function Panel({
  title,
  actions,
  tight = false,
  children,
}: {
  title?: ComponentChildren
  actions?: ComponentChildren
  tight?: boolean
  children: ComponentChildren
}) {
  return (
    <section class="panel">
      {title === undefined ? null : (
        <header>
          <h2>{title}</h2>
          {actions ? <div class="actions">{actions}</div> : null}
        </header>
      )}
      <div class={tight ? 'body tight' : 'body'}>{children}</div>
    </section>
  )
}

/** The head of a page: its title, and actions for the whole page. */
export function PageHead({
  title,
  actions,
  children,
}: {
  title: ComponentChildren
  actions?: ComponentChildren
  children?: ComponentChildren
}) {
  return (
    <div class="page-head">
      <h1 tabIndex={-1}>{title}</h1>
      {children}
      {actions ? <div class="actions">{actions}</div> : null}
    </div>
  )
}
