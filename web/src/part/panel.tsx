import type { ComponentChildren } from 'preact'

/** A part of a page with a heading of its own. */
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

/** The head of a page: its name, and what can be done with all of it. */
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
