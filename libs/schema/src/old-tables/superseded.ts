// Other tables of v3. Migrations 44 and 45 drop two of these tables.
import type { Dialect } from '../dialect.ts'
import { column, createOldTable, type OldTable, optionalText, text, versionColumns } from './table.ts'

const place = [column('bucket_name', text), column('bucket_path', text)]
const entity = [column('id', text), column('project_id', text), column('entity_type', text), column('entity_id', text)]

/**
 * The table has one row for each file that the ingestion of v3 stored in a bucket. A deletion of data must also delete the data's files.
 */
export const blobStorageFileLog: OldTable = {
  name: 'blob_storage_file_log',
  columns: [...entity, column('event_id', text), ...place, ...versionColumns],
  indexes: [],
  orderBy: ['project_id', 'entity_type', 'entity_id', 'event_id'],
}

const eventLog: OldTable = {
  name: 'event_log',
  columns: [...entity, column('event_id', optionalText), ...place, ...versionColumns.slice(0, 2)],
  indexes: [],
  orderBy: ['project_id', 'entity_type', 'entity_id'],
}

const projectEnvironments: OldTable = {
  name: 'project_environments',
  columns: [column('project_id', text), column('environments', 'SimpleAggregateFunction(groupUniqArrayArray, Array(String))')],
  indexes: [],
  orderBy: ['project_id'],
}

export const createEventLog = (dialect: Dialect): string => createOldTable(dialect, eventLog, dialect.engine('MergeTree'))

export const createProjectEnvironments = (dialect: Dialect): string =>
  createOldTable(dialect, projectEnvironments, dialect.engine('AggregatingMergeTree'))
