// The scores table. A score's key contains its date and name, so an id can have rows under several keys.
import { scoresTypes } from '@svc-server/schema/old-tables/scores'
import { fieldsOf, millis, numberField, textField } from '../sql/field.ts'
import type { Table } from '../sql/select.ts'
import { sql } from '../sql/sql.ts'

const columns = fieldsOf('scores', scoresTypes)

export const scores = {
  name: 'scores',
  columns,
  project: columns.project_id,
  time: columns.timestamp,
  scale: 'Milli',
} as const satisfies Table<'scores', typeof columns>

/** The key contains a hash of the name. The name itself can be long, because names had no maximum length in the past. */
export const rowKey = {
  id: columns.id,
  day: textField(sql`toDate(${columns.timestamp.sql})`),
  name_hash: textField(sql`hex(sipHash128(${columns.name.sql}))`),
}

export const listKey = { ...rowKey, timestamp_ms: millis(columns.timestamp) }

export const groups = {
  core: {
    name: columns.name,
    created_ms: millis(columns.created_at),
    updated_ms: millis(columns.updated_at),
    environment: columns.environment,
    value: columns.value,
    source: columns.source,
    data_type: columns.data_type,
    string_value: columns.string_value,
    long_string_value: columns.long_string_value,
  },
  details: {
    comment: columns.comment,
    // Names in metadata can be whole numbers. A JavaScript object with such names needs much memory, so metadata is read as text.
    metadata: textField(sql`toJSONString(${columns.metadata.sql})`),
    config_id: columns.config_id,
  },
  annotation: { author_user_id: columns.author_user_id, queue_id: columns.queue_id },
  subject: {
    trace_id: columns.trace_id,
    session_id: columns.session_id,
    dataset_run_id: columns.dataset_run_id,
    observation_id: columns.observation_id,
  },
}
export type ScoreGroup = keyof typeof groups

const { name, string_value, long_string_value, comment, metadata } = columns

/** Bytes that a row's long fields take in a response. */
export const bytesOf = (asked: readonly ScoreGroup[]) =>
  numberField(
    [name, string_value, long_string_value, ...(asked.includes('details') ? [comment, metadata] : [])]
      .map(column => sql`ifNull(length(toJSONString(${column.sql})), 0)`)
      .reduce((sum, length) => sql`${sum} + ${length}`),
  )
