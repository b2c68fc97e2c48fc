// Checks existing tables before any statement changes them. Migrations keep existing tables (`IF NOT EXISTS`), for example tables of v3 or
// of a preview. An existing table must therefore have the sorting key and the columns of the table that the migrations would create.
import type { Dialect } from '../dialect.ts'
import { type Column, eventsColumns } from '../events/columns.ts'
import { eventsOrder } from '../events/ddl.ts'
import { oldTables } from '../old-tables/ddl.ts'
import { MigrationError } from './migration-error.ts'
import type { ColumnStorePort } from './port.ts'

interface Expected {
  readonly name: string
  readonly sortingKey: string
  readonly columns: readonly Column[]
  readonly isPreview: boolean
}

const expected: readonly Expected[] = [
  ...['events_full', 'events_core'].map(name => ({ name, sortingKey: eventsOrder.join(', '), columns: eventsColumns, isPreview: true })),
  ...oldTables.map(({ name, orderBy, columns }) => ({ name, sortingKey: orderBy.join(', '), columns, isPreview: false })),
]

const withoutZone = (type: string) => type.replaceAll(/(DateTime64\(\d), '[^']*'\)/g, '$1)')

/** Rejects with `other_shape` and advice. */
export async function checkShapes(port: ColumnStorePort, dialect: Dialect, database: string): Promise<void> {
  const names = expected.map(({ name }) => `'${name}'`).join(', ')
  const tables = await port.query<{ name: string; sorting_key: string }>(
    `SELECT name, sorting_key FROM system.tables WHERE database = '${database}' AND name IN (${names})`,
  )
  if (tables.length === 0) return
  const columns = await port.query<{ table: string; name: string; type: string }>(
    `SELECT table, name, type FROM system.columns WHERE database = '${database}' AND table IN (${names})`,
  )
  for (const { name, sorting_key } of tables) {
    const want = expected.find(each => each.name === name)!
    const types = new Map(columns.filter(column => column.table === name).map(column => [column.name, withoutZone(column.type)]))
    const lacking = want.columns.filter(column => types.get(column.name) !== column.type).map(({ name, type }) => `${name} ${type}`)
    if (sorting_key === want.sortingKey && lacking.length === 0) continue
    const difference =
      sorting_key === want.sortingKey
        ? `lacks columns or has them with a different type: ${lacking.join(', ')}`
        : `is sorted by (${sorting_key}), not by (${want.sortingKey})`
    throw new MigrationError('other_shape', `${dialect.table(name)} ${difference}. Nothing was changed. ${remedy(dialect, want)}`)
  }
}

function remedy(dialect: Dialect, { name, isPreview }: Expected): string {
  if (!isPreview)
    return 'It is not the table of v3 at version 37: migrate the table to that version with v3, or back up the table and then rename it.'
  const list = eventsColumns.map(column => column.name).filter(column => column !== 'metadata_types')
  const [full, kept] = [dialect.table('events_full'), dialect.table('events_full_preview')]
  return (
    `A sorting key cannot be altered, so a preview's rows are copied: with nothing writing to it, DROP VIEW IF EXISTS ${dialect.table('events_core_mv')}; ` +
    `DROP TABLE IF EXISTS ${dialect.table('events_core')}; ${name === 'events_full' ? `RENAME TABLE ${full} TO ${kept}; ` : ''}` +
    `svc migrate up; then month by month INSERT INTO ${full} (${list.join(', ')}) SELECT ${list.join(', ')} FROM ${kept} FINAL ` +
    `WHERE toYYYYMM(start_time) = <month>; compare the counts, and drop ${kept} (docs/runbooks/coming-from-v3.md).`
  )
}
