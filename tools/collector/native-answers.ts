// Creates the responses to the queries that clickhouse-go sends before it inserts.
import { framesOf } from './frames.ts'

/** Protocol revision that clickhouse-go 2 uses. */
const revision = 54_460

interface Column {
  readonly name: string
  readonly type: 'String' | 'UInt32'
  readonly values: readonly (string | number)[]
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (; value >= 128; value >>= 7) bytes.push((value & 127) | 128)
  return Buffer.from([...bytes, value])
}

const text = (value: string) => Buffer.concat([varint(Buffer.byteLength(value)), Buffer.from(value)])

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** The information about a block that has no overflows and no buckets. */
const blockInfo = Buffer.from([1, 0, 2, 255, 255, 255, 255, 0])
const plainSerialization = Buffer.from([0])

const blockOf = (columns: readonly Column[]) =>
  Buffer.concat([
    blockInfo,
    varint(columns.length),
    varint(columns[0]!.values.length),
    ...columns.flatMap(({ name, type, values }) => [
      text(name),
      text(type),
      plainSerialization,
      ...values.map(value => (typeof value === 'number' ? number(value) : text(value))),
    ]),
  ])

const one = (name: string, value: string | number): Column => ({
  name,
  type: typeof value === 'number' ? 'UInt32' : 'String',
  values: [value],
})

const server = blockOf([one('displayName()', 'sink'), one('version()', '26.4.1.1'), one('revision()', revision), one('timezone()', 'UTC')])

const attributesType = 'Map(LowCardinality(String), String)'
/**
 * The columns of the table, copied from the exporter's internal/sqltemplates/traces_table.sql. As in the response of a real server, each
 * nested column has an entry with a dotted name.
 */
const tracesTable: Readonly<Record<string, string>> = {
  Timestamp: 'DateTime64(9)',
  TraceId: 'String',
  SpanId: 'String',
  ParentSpanId: 'String',
  TraceState: 'String',
  SpanName: 'LowCardinality(String)',
  SpanKind: 'LowCardinality(String)',
  ServiceName: 'LowCardinality(String)',
  ResourceAttributes: attributesType,
  ScopeName: 'String',
  ScopeVersion: 'String',
  SpanAttributes: attributesType,
  Duration: 'UInt64',
  StatusCode: 'LowCardinality(String)',
  StatusMessage: 'String',
  'Events.Timestamp': 'Array(DateTime64(9))',
  'Events.Name': 'Array(LowCardinality(String))',
  'Events.Attributes': `Array(${attributesType})`,
  'Links.TraceId': 'Array(String)',
  'Links.SpanId': 'Array(String)',
  'Links.TraceState': 'Array(String)',
  'Links.Attributes': `Array(${attributesType})`,
}

const names = Object.keys(tracesTable)
const none = ['default_type', 'default_expression', 'comment', 'codec_expression', 'ttl_expression']
const columns = blockOf([
  { name: 'name', type: 'String', values: names },
  { name: 'type', type: 'String', values: Object.values(tracesTable) },
  ...none.map((name): Column => ({ name, type: 'String', values: names.map(() => '') })),
])

/**
 * Returns the response to a statement, or null if the statement is unknown. If `compressed` is true, the response consists of ClickHouse's
 * compression frames.
 */
export function nativeAnswer(sql: string, compressed: boolean): Buffer | null {
  const block = sql.startsWith('SELECT displayName()') ? server : sql.startsWith('DESCRIBE TABLE') ? columns : null
  return block !== null && compressed ? framesOf(block) : block
}
