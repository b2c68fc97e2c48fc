// Reads dataset items at a point in time. An item is a chain of versions; only the newest version has no end (contract §18.2).
import type { InProject } from '../tenancy/handles.ts'
import { canBeId } from '../tenancy/ids.ts'
import { sql } from '../tenancy/sql.ts'

export interface DatasetItem {
  readonly id: string
  readonly datasetId: string
  readonly validFrom: Date
  /** Bytes of the version's three texts. */
  readonly bytes: number
}

/** The contents stay JSON texts, because a parser would turn their numbers into JavaScript numbers, which would lose digits. */
export interface DatasetItemContents {
  readonly input: string | null
  readonly expectedOutput: string | null
  readonly metadata: string | null
}

const length = (column: 'input' | 'expected_output' | 'metadata') => sql<string>`coalesce(octet_length(${sql.ref(column)}::text), 0)`

/** Finds the version at a given time (ISO 8601 with Z), or the current version. Throws `relational_unavailable`. */
export async function findDatasetItem(project: InProject, id: string, at: string | null): Promise<DatasetItem | undefined> {
  if (!canBeId(id)) return undefined
  const found = await project
    .select('dataset_items')
    .select(['id', 'dataset_id', 'valid_from'])
    .select(sql<string>`${length('input')} + ${length('expected_output')} + ${length('metadata')}`.as('bytes'))
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
  return found && { id: found.id, datasetId: found.dataset_id, validFrom: found.valid_from, bytes: Number(found.bytes) }
}

/** Returns undefined if the version was deleted in the meantime. Throws `relational_unavailable`. */
export const readDatasetItem = (project: InProject, { id, validFrom }: DatasetItem): Promise<DatasetItemContents | undefined> =>
  project
    .select('dataset_items')
    .select([
      sql<string | null>`input::text`.as('input'),
      sql<string | null>`expected_output::text`.as('expectedOutput'),
      sql<string | null>`metadata::text`.as('metadata'),
    ])
    .where('id', '=', id)
    // A Date cannot represent microseconds.
    .where(sql<Date>`date_trunc('milliseconds', valid_from)`, '=', validFrom)
    .orderBy('valid_from', 'desc')
    .limit(1)
    .executeTakeFirst()
