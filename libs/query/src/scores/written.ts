// SQL expressions that make the fields of ScoreV3 for streams. For other responses, `view.ts` makes the same fields from the rows.
import { jsonOrText, jsonText, plain } from '../fields/wire.ts'
import { type Field, type Fields, textField, type Written } from '../sql/field.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { type ScoreGroup, scores } from './table.ts'

const { columns } = scores
const { data_type: type, value, string_value, long_string_value, metadata } = columns

const written = (expression: Sql, as: Written = plain(expression)): Field<string> => ({ ...textField(expression), written: as })
const time = ({ sql: column }: Pick<Field<unknown>, 'sql'>) => written(sql`toDateTime64(${column}, 3, 'UTC')`)

/** Returns SQL for a score's value, whose form depends on the data type. */
const typedValue = (number: (value: Sql) => Sql, text: (value: Sql) => Sql): Sql =>
  sql`multiIf(${type.sql} = 'NUMERIC', ${number(value.sql)}, ${type.sql} = 'BOOLEAN', if(${value.sql} = 1, 'true', 'false'),
    ${type.sql} = 'CORRECTION', ${text(long_string_value.sql)}, ${text(sql`ifNull(${string_value.sql}, '')`)})`
const toJson = (each: Sql): Sql => sql`toJSONString(${each})`
const bareValue = typedValue(
  number => sql`toString(${number})`,
  text => text,
)

const metadataText = sql`concat('{', arrayStringConcat(arrayMap((k, v) -> concat(toJSONString(toString(k)), ':', ${jsonOrText(sql`v`)}),
  mapKeys(${metadata.sql}), mapValues(${metadata.sql})), ','), '}')`

/** A score can have the ids of a run, an observation, a session and a trace. The first non-empty id in this order names its subject. */
function subjectText(): Sql {
  const id = (column: { readonly sql: Sql }) => sql`ifNull(${column.sql}, '')`
  const [run, observation, session, trace] = [columns.dataset_run_id, columns.observation_id, columns.session_id, columns.trace_id].map(id)
  const json = (kind: Sql, of: Sql | undefined) => sql`concat('{"kind":"${kind}","id":', toJSONString(${of ?? sql`''`})`
  return sql`multiIf(${run!} != '', ${json(sql`experiment`, run)}, '}'),
    ${observation!} != '', ${json(sql`observation`, observation)}, if(${trace!} = '', '', concat(',"traceId":', toJSONString(${trace!}))), '}'),
    ${session!} != '', ${json(sql`session`, session)}, '}'), ${trace!} != '', ${json(sql`trace`, trace)}, '}'), 'null')`
}

const groups: Readonly<Record<ScoreGroup, Fields>> = {
  core: {
    id: columns.id,
    projectId: columns.project_id,
    name: columns.name,
    value: written(bareValue, { json: typedValue(toJson, toJson), csv: bareValue, parquet: bareValue }),
    dataType: columns.data_type,
    source: columns.source,
    timestamp: time(columns.timestamp),
    environment: written(sql`toString(${columns.environment.sql})`),
    createdAt: time(columns.created_at),
    updatedAt: time(columns.updated_at),
  },
  details: { comment: columns.comment, configId: columns.config_id, metadata: written(metadataText, jsonText(metadataText)) },
  annotation: { authorUserId: columns.author_user_id, queueId: columns.queue_id },
  subject: { subject: written(subjectText(), jsonText(subjectText())) },
}

export const writtenScore = (asked: readonly ScoreGroup[]): Fields => ({
  ...groups.core,
  ...(asked.includes('details') && groups.details),
  ...(asked.includes('annotation') && groups.annotation),
  ...(asked.includes('subject') && groups.subject),
})
