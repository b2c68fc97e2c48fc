// A table of a few dozen lines with fixed columns.
import type { ReactNode } from 'react'
import css from './plain-table.module.css'
import { Empty, Failed, Loading } from './states.tsx'

export interface PlainColumn<Line> {
  readonly title: string
  readonly isNumeric?: boolean
  readonly show: (line: Line) => ReactNode
}

interface PlainTableProps<Line> {
  readonly label: string
  readonly columns: readonly PlainColumn<Line>[]
  /** Undefined until the lines have arrived. */
  readonly lines: readonly Line[] | undefined
  readonly keyOf: (line: Line) => string
  readonly empty: string
  /** True if the page has several tables. If such a table has no lines, the page shows only one sentence instead of the table. */
  readonly isPart?: boolean
  readonly error?: Error | null
  readonly onRetry?: () => void
}

export function PlainTable<Line>({ label, columns, lines, keyOf, empty, isPart = false, error = null, onRetry }: PlainTableProps<Line>) {
  if (error !== null) return <Failed error={error} onRetry={onRetry} />
  if (lines === undefined) return <Loading />
  if (lines.length === 0) return isPart ? <p>{empty}</p> : <Empty title={empty} />
  return (
    <div className={css['scroll']} role="region" aria-label={label} tabIndex={0}>
      <table className={css['table']} aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title, isNumeric = false }) => (
              <th key={title} scope="col" data-numeric={isNumeric}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(line => (
            <tr key={keyOf(line)}>
              {columns.map(({ title, isNumeric = false, show }) => (
                <td key={title} data-numeric={isNumeric}>
                  {show(line)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
