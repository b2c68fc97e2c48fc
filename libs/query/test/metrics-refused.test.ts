import type { ColumnStore } from '@svc-server/column-store/port'
import { expect, test } from 'vitest'
import { queryMetrics } from '../src/metrics/index.ts'

const unasked: Pick<ColumnStore, 'query'> = { query: () => Promise.reject(new Error('the column store was asked')) }
const range = { fromTimestamp: '2026-02-01T10:00:00Z', toTimestamp: '2026-02-01T14:00:00Z' }
const metric = (measure: string, aggregation: string) => ({ measure, aggregation })
const count = [metric('count', 'count')]
const by = (...fields: readonly string[]) => fields.map(field => ({ field }))
const high = by('userId')
const limited = { config: { row_limit: 5 } }
const byCount = { orderBy: [{ field: 'count_count', direction: 'desc' }] }
test.each([
  ['no JSON', '{', 'request', 'Invalid JSON in query parameter'],
  ['no metrics', { metrics: [] }, 'shape', ''],
  ['an unknown time zone', { metrics: count, timeZone: 'Mars/Olympus' }, 'shape', 'not an IANA time zone'],
  ['an unknown view', { metrics: count, view: 'traces' }, 'shape', ''],
  ['a range that ends before it begins', { metrics: count, toTimestamp: range.fromTimestamp }, 'shape', 'toTimestamp'],
  ['a limit above 1,000', { metrics: count, config: { row_limit: 1_001 } }, 'shape', ''],
  ['an unknown measure', { metrics: [metric('price', 'sum')] }, 'request', 'There is no measure "price"'],
  ['an unknown dimension', { metrics: count, dimensions: by('color') }, 'request', 'There is no dimension "color"'],
  ['the sum of texts', { metrics: [metric('traceId', 'sum')] }, 'request', 'count, uniq'],
  [
    'an order by nothing of the query',
    { metrics: count, orderBy: [{ field: 'name', direction: 'asc' }] },
    'request',
    'Cannot order by "name"',
  ],
  ['costType with usageType', { metrics: count, dimensions: by('costType', 'usageType') }, 'request', 'not both'],
  [
    'many values over time',
    { metrics: count, dimensions: high, timeDimension: { granularity: 'day' }, ...limited, ...byCount },
    'request',
    'timeDimension',
  ],
  ['many values without a limit', { metrics: count, dimensions: high, ...byCount }, 'request', 'row_limit'],
  ['many values without an order', { metrics: count, dimensions: high, ...limited }, 'request', 'order by a metric'],
  [
    'an unknown column',
    { metrics: count, filters: [{ type: 'string', column: 'color', operator: '=', value: '' }] },
    'request',
    'no column',
  ],
  [
    'a number of metadata',
    { metrics: count, filters: [{ type: 'numberObject', column: 'metadata', key: 'k', operator: '=', value: 1 }] },
    'request',
    'stringObject',
  ],
])('%s', async (_, query, kind, message) => {
  const text = typeof query === 'string' ? query : JSON.stringify({ view: 'observations', ...range, ...query })
  const refused = queryMetrics(unasked, { projectId: 'p', query: text, signal: undefined })
  await expect(refused).rejects.toMatchObject({ name: 'InvalidQuery', kind, message: expect.stringContaining(message) })
})
