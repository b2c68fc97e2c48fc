// A page with a heading, a descriptive sentence, and content.
import type { ReactNode } from 'react'
import css from './page.module.css'

interface PageProps {
  readonly title: string
  readonly help?: string
  readonly children: ReactNode
}

export function Page({ title, help, children }: PageProps) {
  return (
    <div className={css['page']}>
      <header className={css['head']}>
        <h1>{title}</h1>
        {help !== undefined && <p className={css['help']}>{help}</p>}
      </header>
      {children}
    </div>
  )
}

export function Section({ title, help, children }: PageProps) {
  return (
    <section className={css['section']}>
      <h2>{title}</h2>
      {help !== undefined && <p className={css['help']}>{help}</p>}
      {children}
    </section>
  )
}
