// Columns of the table: how wide, what they show, and which term of the filter bar a value of theirs is.
import type { ReactNode } from 'react'
import { ErrorMark, Glyph } from '../design/glyph.tsx'
import type { FilterCondition } from '../filter/condition.ts'
import { observationsText as text } from '../text/observations.ts'
import { cost, count, dayAndTime, duration, everyForm, shortCount } from '../text/units.ts'
import type { Row } from './rows.ts'
import css from './table.module.css'

export interface Column {
  readonly id: string
  readonly title: string
  /** Of a grid: pixels, or a share of what is left. */
  readonly width: string
  readonly isNumeric?: boolean
  /** Undefined: nothing to show. */
  readonly textOf: (row: Row) => string | undefined
  readonly render?: (row: Row) => ReactNode
  /** Rows with the same value; undefined where equality means nothing. */
  readonly only?: (row: Row) => FilterCondition | undefined
  readonly not?: (row: Row) => FilterCondition | undefined
}

type Read = (row: Row) => string | null

const equal = (column: string, read: Read) => (row: Row) => {
  const value = read(row)
  return value === null || value === '' ? undefined : ({ type: 'string', column, operator: '=', value } as const)
}
const none = (column: string, read: Read) => (row: Row) => {
  const value = read(row)
  return value === null || value === '' ? undefined : ({ type: 'stringOptions', column, operator: 'none of', value: [value] } as const)
}

const plain = (id: string, title: string, width: string, column: string, read: Read): Column => ({
  ...{ id, title, width },
  textOf: row => read(row) ?? undefined,
  only: equal(column, read),
  not: none(column, read),
})

const amount = (id: string, title: string, width: string, textOf: (row: Row) => string | undefined): Column => ({
  ...{ id, title, width, textOf, isNumeric: true },
})

/** Texts are their beginning; what is cut says so. */
const content = (id: 'input' | 'output', title: string): Column => ({
  ...{ id, title, width: 'minmax(120px, 2fr)' },
  textOf: row => row[id] ?? undefined,
  render(row) {
    const value = row[id]
    if (id === 'output' && row.level === 'ERROR' && (value === null || value === '')) {
      return <span className={css['failed']}>{row.statusMessage ?? text.cell.error}</span>
    }
    if (value === null) return null
    const length = row[`${id}Length`]
    return (
      <span className={css['content']} title={length > value.length ? text.cell.cut(count(value.length), count(length)) : undefined}>
        {value}
        {length > value.length && <span className={css['cut']}> …{shortCount(length)}</span>}
      </span>
    )
  },
})

export const columns: readonly Column[] = [
  {
    ...{ id: 'time', title: 'Time', width: '138px' },
    textOf: row => row.startTime,
    render: row => (
      <time dateTime={row.startTime} title={everyForm(row.startTime)}>
        {dayAndTime(row.startTime)}
      </time>
    ),
  },
  {
    ...plain('name', 'Name', 'minmax(140px, 1.2fr)', 'name', row => row.name),
    render: row => (
      <span className={css['name']}>
        <Glyph type={row.type} />
        {row.level === 'ERROR' && <ErrorMark label={text.cell.error} />}
        <span className={css['nameText']}>{row.name ?? row.id}</span>
      </span>
    ),
  },
  content('input', 'Input'),
  content('output', 'Output'),
  amount('latency', 'Latency', '84px', row => (row.latency === null ? undefined : duration(row.latency * 1_000))),
  amount('tokens', 'Tokens', '72px', row => (row.usage['total'] === undefined ? undefined : shortCount(row.usage['total']))),
  amount('cost', 'Cost', '88px', row => (row.cost['total'] === undefined ? undefined : cost(row.cost['total']))),
  plain('model', 'Model', '132px', 'model', row => row.model),
  plain('type', 'Type', '108px', 'type', row => row.type),
  plain('level', 'Level', '84px', 'level', row => row.level),
  plain('status', 'Status', 'minmax(120px, 1fr)', 'statusMessage', row => row.statusMessage),
  plain('env', 'Environment', '104px', 'environment', row => row.environment),
  plain('user', 'User', '120px', 'userId', row => row.userId),
  plain('session', 'Session', '120px', 'sessionId', row => row.sessionId),
  {
    ...{ id: 'tags', title: 'Tags', width: '140px' },
    textOf: row => (row.tags.length === 0 ? undefined : row.tags.join(', ')),
    only: row => (row.tags.length === 0 ? undefined : { type: 'arrayOptions', column: 'traceTags', operator: 'all of', value: row.tags }),
    not: row => (row.tags.length === 0 ? undefined : { type: 'arrayOptions', column: 'traceTags', operator: 'none of', value: row.tags }),
  },
  plain('traceName', 'Trace name', '140px', 'traceName', row => row.traceName),
  plain('release', 'Release', '96px', 'release', row => row.release),
  plain('version', 'Version', '96px', 'version', row => row.version),
  plain('prompt', 'Prompt', '132px', 'promptName', row => row.promptName),
  amount('ttft', 'First token', '92px', row => (row.timeToFirstToken === null ? undefined : duration(row.timeToFirstToken * 1_000))),
  plain('trace', 'Trace id', '140px', 'traceId', row => row.traceId),
  plain('id', 'Id', '132px', 'id', row => row.id),
]

const byId = new Map(columns.map(column => [column.id, column]))
export const defaultColumns: readonly string[] = ['time', 'name', 'input', 'output', 'latency', 'tokens', 'cost', 'model']

/** Of the URL's list; unknown names are left out. */
export function chosenColumns(cols: string | undefined): readonly Column[] {
  const chosen = (cols?.split(',') ?? defaultColumns).flatMap(id => byId.get(id) ?? [])
  return chosen.length === 0 ? defaultColumns.flatMap(id => byId.get(id) ?? []) : chosen
}
