// Dataset items as they were at a time: an item is a chain of versions, of which one has no end
// (public-api-resources.md §2.2).
import { sql } from 'kysely'
import type { RelationalStore } from '../store/store.ts'
import { classified } from '../store/store-errors.ts'

export interface DatasetItem {
  readonly id: string
  readonly datasetId: string
  /** Since when it is, or was, as it is here. */
  readonly validFrom: Date
  /** Of its three texts: what reading them takes. */
  readonly bytes: number
}

/** JSON texts, with the digits that the store has. */
export interface DatasetItemContents {
  readonly input: string | null
  readonly expectedOutput: string | null
  readonly metadata: string | null
}

type Store = Pick<RelationalStore, 'db'>

const length = (column: 'input' | 'expected_output' | 'metadata') => sql<string>`coalesce(octet_length(${sql.ref(column)}::text), 0)`

/**
 * The item as it is, or as it was at a time (ISO 8601 with Z); undefined: the project has none such. NUL is an
 * error to the store, and in no id. Throws `relational_unavailable`.
 */
export const findDatasetItem = ({ db }: Store, projectId: string, id: string, at: string | null): Promise<DatasetItem | undefined> =>
  classified(async () => {
    if (id.includes('\0')) return undefined
    const found = await db
      .selectFrom('dataset_items')
      .select(['id', 'dataset_id', 'valid_from'])
      .select(sql<string>`${length('input')} + ${length('expected_output')} + ${length('metadata')}`.as('bytes'))
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .$if(at === null, query => query.where('valid_to', 'is', null))
      .$if(at !== null, query =>
        query
          .where('valid_from', '<=', sql<Date>`${at}`)
          .where(({ eb, or }) => or([eb('valid_to', 'is', null), eb('valid_to', '>', sql<Date>`${at}`)])),
      )
      .orderBy('valid_from', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (found === undefined) return undefined
    return { id: found.id, datasetId: found.dataset_id, validFrom: found.valid_from, bytes: Number(found.bytes) }
  })

/** Of a version that was found; undefined: it is gone. Throws `relational_unavailable`. */
export const readDatasetItem = (
  { db }: Store,
  projectId: string,
  { id, validFrom }: DatasetItem,
): Promise<DatasetItemContents | undefined> =>
  classified(() =>
    db
      .selectFrom('dataset_items')
      .select([
        sql<string | null>`input::text`.as('input'),
        sql<string | null>`expected_output::text`.as('expectedOutput'),
        sql<string | null>`metadata::text`.as('metadata'),
      ])
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      // A Date has no microseconds.
      .where(sql<Date>`date_trunc('milliseconds', valid_from)`, '=', validFrom)
      .orderBy('valid_from', 'desc')
      .limit(1)
      .executeTakeFirst(),
  )
