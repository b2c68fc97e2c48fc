// Compares the code's descriptions of tables with the tables after all migrations.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tables as annotationQueues } from '../src/annotation-queues/table.ts'
import { tables as arrivals } from '../src/arrivals/table.ts'
import { tables as auditLogs } from '../src/audit-logs/table.ts'
import { tables as backgroundMigrations } from '../src/background-migrations/table.ts'
import { tables as blobStorage } from '../src/blob-storage-integrations/table.ts'
import { tables as comments } from '../src/comments/table.ts'
import { tables as dashboards } from '../src/dashboards/table.ts'
import { tables as datasetRuns } from '../src/dataset-runs/table.ts'
import { tables as datasets } from '../src/datasets/table.ts'
import { tables as deletions } from '../src/deletions/table.ts'
import { tables as evaluators } from '../src/evaluators/table.ts'
import { tables as keys } from '../src/keys/table.ts'
import { tables as llmConnections } from '../src/llm-connections/table.ts'
import { tables as media } from '../src/media/table.ts'
import { tables as memberships } from '../src/memberships/table.ts'
import { tables as models } from '../src/models/table.ts'
import { tables as organizations } from '../src/organizations/table.ts'
import { tables as projects } from '../src/projects/table.ts'
import { tables as prompts } from '../src/prompts/table.ts'
import { tables as savedViews } from '../src/saved-views/table.ts'
import { tables as scoreConfigs } from '../src/score-configs/table.ts'
import { tables as skills } from '../src/skills/table.ts'
import type { RelationalStore } from '../src/store/store.ts'
import { type ColumnDescription, type ColumnKind, columnKinds } from '../src/tenancy/columns.ts'
import { tables as traceSessions } from '../src/trace-sessions/table.ts'
import { tables as users } from '../src/users/table.ts'
import { bothStoreKinds } from './stores.ts'

type Described = Readonly<Record<string, Readonly<Record<string, ColumnDescription>>>>

const described = new Map(
  Object.entries<Described[string]>({
    ...annotationQueues,
    ...arrivals,
    ...auditLogs,
    ...blobStorage,
    ...dashboards,
    ...skills,
    ...comments,
    ...backgroundMigrations,
    ...datasetRuns,
    ...datasets,
    ...deletions,
    ...evaluators,
    ...keys,
    ...llmConnections,
    ...media,
    ...memberships,
    ...models,
    ...organizations,
    ...projects,
    ...prompts,
    ...savedViews,
    ...scoreConfigs,
    ...traceSessions,
    ...users,
  }),
)

/** Only the migrations use these tables. */
const unserved = ['svc_migrations', 'svc_migrations_lock']

interface Column {
  readonly name: string
  readonly type: string
  readonly element: string
  readonly nullable: boolean
  readonly hasDefault: boolean
}

const arrays: Readonly<Record<string, ColumnKind>> = { _text: 'texts', _int4: 'integers' }

function kindOf({ type, element }: Column): string {
  if (type === 'ARRAY') return arrays[element] ?? element
  return (Object.keys(columnKinds) as ColumnKind[]).find(kind => (columnKinds[kind] as readonly string[]).includes(type)) ?? type
}

describe.each(bothStoreKinds)('on $kind', ({ open }) => {
  let store: RelationalStore
  const actual = new Map<string, Column[]>()
  beforeAll(async () => {
    store = await open()
    const { rows } = await sql<Column & { readonly table: string }>`select table_name as "table", column_name as name, data_type as type,
      udt_name as element, is_nullable = 'YES' as nullable, column_default is not null as "hasDefault"
      from information_schema.columns where table_schema = current_schema()`.execute(store.db)
    for (const { table, ...column } of rows) actual.set(table, [...(actual.get(table) ?? []), column])
  })
  afterAll(() => store.close())

  test('the database has exactly the described tables', () => {
    expect([...actual.keys()].filter(name => !unserved.includes(name)).sort()).toEqual([...described.keys()].sort())
  })

  test.each([...described])('%s has the described columns', (name, columns) => {
    // A description with `=` says that an insert can omit the column. If a column has a default in this database, but not in v3's database,
    // the column's description may lack `=`.
    const found = actual.get(name)!.map(column => {
      const mentioned = columns[column.name]?.endsWith('=') && column.hasDefault
      return [column.name, `${kindOf(column)}${column.nullable ? '?' : mentioned ? '=' : ''}`] as const
    })
    expect(Object.fromEntries(found)).toEqual(columns)
  })
})
