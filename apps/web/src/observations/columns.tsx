// The columns of the table.
import type { ReactNode } from 'react'
import { ErrorMark, Glyph } from '../design/glyph.tsx'
import { type Choices, fieldChoices, leafChoices, scoreChoices, scoreNameChoices, tagChoices } from '../filter/choices.ts'
import { columnIdsOf, defaultColumns, type FixedColumnId, leafColumnId, scoreColumnId } from '../filter/column-ids.ts'
import { fieldNamed } from '../filter/fields.ts'
import { observationsText as text } from '../text/observations.ts'
import { cost, count, dayAndTime, duration, everyForm, shortCount } from '../text/units.ts'
import type { ShownRow as Row } from './shown-row.ts'
import css from './table.module.css'

export interface Column {
  readonly id: string
  readonly title: string
  /** Width in pixels, or as a fraction of the remaining space. */
  readonly width: string
  readonly isNumeric?: boolean
  /** Path of the metadata value in the column, such as `user.plan`. */
  readonly leaf?: string
  /** Name of the score in the column. */
  readonly score?: string
  /** Undefined if the cell is empty. */
  readonly textOf: (row: Row) => string | undefined
  readonly render?: (row: Row) => ReactNode
  /** Choices for filtering by a cell's value. Absent if nobody would look for rows with exactly this value. */
  readonly choices?: (row: Row) => Choices
}

type FixedColumn = Column & { readonly id: FixedColumnId }
type Read = (row: Row) => string | null

const plain = (id: FixedColumnId, title: string, width: string, column: string, read: Read): FixedColumn => ({
  ...{ id, title, width },
  textOf: row => read(row) ?? undefined,
  choices: row => fieldChoices(column, read(row) ?? ''),
})

const amount = (id: FixedColumnId, title: string, width: string, textOf: (row: Row) => string | undefined): FixedColumn => ({
  ...{ id, title, width, textOf, isNumeric: true },
})

/** The cell of a root shows the sum over the whole trace. The tooltip shows the root's own value. */
const summed = (
  id: 'cost' | 'tokens',
  title: string,
  width: string,
  own: (row: Row) => number | undefined,
  write: (amount: number) => string,
): FixedColumn => {
  const sumOf = ({ more }: Row) => (more?.sums === undefined || more.sums[id] === 0 ? undefined : more.sums[id])
  const amountOf = (row: Row) => sumOf(row) ?? own(row)
  return {
    ...amount(id, title, width, row => {
      const shown = amountOf(row)
      return shown === undefined ? undefined : write(shown)
    }),
    render(row) {
      const shown = amountOf(row)
      if (shown === undefined) return null
      const sums = row.more?.sums
      const help = sums && text.cell.sum(write(sums[id]), count(sums.observations), write(own(row) ?? 0))
      return <span title={help}>{write(shown)}</span>
    },
  }
}

const content = (id: 'input' | 'output', title: string): FixedColumn => ({
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

export const columns: readonly FixedColumn[] = [
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
        {row.sessionId !== null && (
          <span className={css['session']} data-session={row.sessionId} title={text.cell.session(row.sessionId)} aria-hidden="true" />
        )}
      </span>
    ),
  },
  content('input', 'Input'),
  content('output', 'Output'),
  amount('latency', 'Latency', '84px', row => (row.latency === null ? undefined : duration(row.latency * 1_000))),
  summed('tokens', 'Tokens', '72px', row => row.usage['total'], shortCount),
  summed('cost', 'Cost', '88px', row => row.cost['total'], cost),
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
    choices: row => ({ path: 'tags', column: 'tags', ...(row.tags.length > 0 && tagChoices(row.tags)) }),
  },
  plain('traceName', 'Trace name', '140px', 'traceName', row => row.traceName),
  plain('release', 'Release', '96px', 'release', row => row.release),
  plain('version', 'Version', '96px', 'version', row => row.version),
  plain('prompt', 'Prompt', '132px', 'promptName', row => row.promptName),
  amount('ttft', 'First token', '92px', row => (row.timeToFirstToken === null ? undefined : duration(row.timeToFirstToken * 1_000))),
  plain('trace', 'Trace id', '140px', 'traceId', row => row.traceId),
  plain('id', 'Id', '132px', 'id', row => row.id),
]

const byId = new Map<string, Column>(columns.map(column => [column.id, column]))

/** The server cuts metadata texts to this length. */
const leafCharacters = 200
const nullType = 4

/** `leaf` is a path such as `user.plan`. */
function leafColumn(leaf: string): Column {
  const leafOf = ({ more }: Row) => more?.metadata[leaf]
  return {
    ...{ id: leafColumnId(leaf), title: leaf, width: '140px', leaf },
    textOf(row) {
      const value = leafOf(row)
      return value?.type === nullType ? 'null' : value?.text
    },
    choices(row) {
      const value = leafOf(row)
      return leafChoices(leaf, value ?? { text: '', type: 0 }, value === undefined || value.text.length >= leafCharacters)
    },
  }
}

function scoreColumn(score: string): Column {
  const scoreOf = ({ more }: Row) => more?.scores[score]
  return {
    ...{ id: scoreColumnId(score), title: score, width: '96px', isNumeric: true, score },
    textOf(row) {
      const found = scoreOf(row)
      return found && String(found.value)
    },
    render(row) {
      const shown = scoreOf(row)
      if (shown === undefined) return null
      const { value } = shown
      return <span title={String(value)}>{typeof value === 'number' ? Number(value.toPrecision(4)) : value}</span>
    },
    choices(row) {
      const found = scoreOf(row)
      return found === undefined ? scoreNameChoices(score, false) : scoreChoices(score, found.value, found.isOfTrace)
    },
  }
}

function columnOf(id: string): Column | undefined {
  const [, kind, name = ''] = /^(metadata|score)\.(.+)$/.exec(id) ?? []
  if (kind === undefined) return byId.get(id)
  try {
    return kind === 'metadata' ? leafColumn(decodeURIComponent(name)) : scoreColumn(decodeURIComponent(name))
  } catch {
    return undefined
  }
}

const chosenFrom = (ids: readonly string[]): readonly Column[] => ids.flatMap(id => columnOf(id) ?? [])

/** Ignores unknown names. */
export function chosenColumns(cols: string | undefined): readonly Column[] {
  const chosen = chosenFrom(columnIdsOf(cols))
  return chosen.length === 0 ? chosenFrom(defaultColumns) : chosen
}

export const choicesOf = (column: Column, row: Row): Choices =>
  column.choices?.(row) ?? { path: fieldNamed(column.id)?.name, column: column.id }
