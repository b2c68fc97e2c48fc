// Formats the values and rules of a row for a reviewer. Leaves out values that depend on the writer or the time.
import type { ExplainedSpan } from '../../src/block/explain.ts'

/** The text leaves out these columns. These columns depend on the writer or the time, or the metadata section shows them. */
const unshown = new Set([
  ...['created_at', 'updated_at', 'event_ts', 'blob_storage_file_path', 'event_bytes', 'project_id', 'source', 'is_deleted'],
  ...['metadata_names', 'metadata_values', 'metadata_types'],
])

const isEmpty = (value: unknown) =>
  value === null || value === '' || value === false || (typeof value === 'object' && Object.keys(value).length === 0)

export function shownRow({ columns }: ExplainedSpan) {
  const cells = Object.entries(columns).filter(([name, { value }]) => !unshown.has(name) && !isEmpty(value))
  const names = columns['metadata_names']!.value as readonly string[]
  const values = columns['metadata_values']!.value as readonly string[]
  const types = columns['metadata_types']!.value as readonly number[]
  return {
    ...Object.fromEntries(cells.map(([name, { value, rule }]) => [rule === null ? name : `${name} (${rule})`, value])),
    metadata: names
      .map((name, i) => `${name}: ${['text', 'number', 'boolean', 'json', 'null'][types[i]!]} ${values[i]}`)
      .filter(line => !line.startsWith('resourceAttributes.')),
  }
}
