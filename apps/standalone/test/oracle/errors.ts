// Requests that the server must refuse. If `as` is `app`, the response must be an InvalidRequestError. If it is `shape`, the response must
// be a list of validation errors. If it is `{ says }`, the response must contain the text `says`.
type Refusal = 'app' | 'shape' | 'either' | { readonly says: string }
export interface Refused {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly as: Refusal
}

const range = { fromTimestamp: '2026-11-01T00:00:00Z', toTimestamp: '2026-11-30T00:00:00Z' }
const filtered = (type: string, column: string, operator: string, value: unknown, key?: string) => ({
  filter: JSON.stringify([{ type, column, operator, value, ...(key === undefined ? {} : { key }) }]),
})
const metrics = (more: object) => ({
  query: JSON.stringify({ view: 'observations', metrics: [{ measure: 'count', aggregation: 'count' }], ...range, ...more }),
})
const byUser = { dimensions: [{ field: 'userId' }] }
const ordered = (direction: string) => ({ orderBy: [{ field: 'count_count', direction }] })
const from = { fromStartTime: range.fromTimestamp }
const condition = { type: 'string', column: 'name', operator: '=', value: 'x' }
const without = (field: keyof typeof condition) => ({ filter: JSON.stringify([{ ...condition, [field]: undefined }]) })

const lists: Readonly<Record<string, readonly (readonly [Readonly<Record<string, string>>, Refusal])[]>> = {
  '/v2/observations': [
    ...['1001', '1.5', '-1', 'x'].map(limit => [{ limit }, 'shape'] as const),
    [{ cursor: 'nonsense' }, { says: 'Invalid cursor format' }],
    [{ parseIoAsJson: 'true' }, 'either'],
    ...[{ type: 'NOPE' }, { level: 'info' }, { isRootObservation: 'yes' }, { fromStartTime: 'yesterday' }].map(
      query => [query, 'shape'] as const,
    ),
    [{ filter: '[{' }, { says: 'Invalid JSON in filter parameter' }],
    [{ filter: '{}' }, 'shape'],
    [filtered('string', 'nope', '=', 'x'), 'app'],
    [filtered('number', 'name', '=', 1), 'app'],
    [filtered('string', 'latency', '=', 'x'), 'app'],
    [filtered('stringOptions', 'tags', 'any of', ['x']), 'app'],
    [filtered('string', 'metadata', '=', 'x'), 'app'],
    [filtered('null', 'isRootObservation', 'is null', ''), 'app'],
    [filtered('null', 'input', 'is null', ''), 'either'],
    [filtered('string', 'input', 'contains', 'x'), { says: 'Input/output filters require at least one `matches` or `=` operator.' }],
    [filtered('string', 'name', 'matches', 'x'), 'either'],
    [filtered('string', 'input', 'matches', '--'), 'either'],
    [filtered('nope', 'name', '=', 'x'), 'shape'],
    [filtered('string', 'name', '>', 'x'), 'shape'],
    [filtered('stringObject', 'metadata', '=', 'x'), 'shape'],
    [filtered('number', 'latency', '=', '1'), 'shape'],
    [filtered('stringOptions', 'name', 'any of', []), 'shape'],
    [filtered('arrayOptions', 'tags', 'any of', []), 'shape'],
    [filtered('boolean', 'isRootObservation', '=', 'true'), 'shape'],
    [filtered('datetime', 'startTime', '=', range.fromTimestamp), 'shape'],
    [filtered('null', 'name', 'is null', 'x'), 'shape'],
    [without('column'), 'shape'],
    [without('value'), 'shape'],
  ],
  '/v2/metrics': [
    [{ query: '{' }, { says: 'Invalid JSON in query parameter' }],
    [metrics({ view: 'traces' }), 'shape'],
    [metrics({ metrics: undefined }), 'shape'],
    [metrics({ metrics: [{ measure: 'nope', aggregation: 'count' }] }), 'app'],
    [metrics({ metrics: [{ measure: 'traceId', aggregation: 'sum' }] }), 'app'],
    [metrics({ metrics: [{ measure: 'latency', aggregation: 'nope' }] }), 'shape'],
    [metrics({ dimensions: [{ field: 'nope' }] }), 'app'],
    [metrics({ toTimestamp: range.fromTimestamp }), 'either'],
    [metrics({ timeDimension: { granularity: 'year' } }), 'shape'],
    [metrics({ orderBy: [{ field: 'time_dimension', direction: 'asc' }] }), 'app'],
    [metrics({ orderBy: [{ field: 'sum_latency', direction: 'asc' }] }), 'app'],
    [metrics({ config: { row_limit: 1001 } }), 'shape'],
    [metrics({ config: { bins: 101 } }), 'shape'],
    [metrics(byUser), 'app'],
    [metrics({ ...byUser, config: { row_limit: 10 } }), 'app'],
    [metrics({ ...byUser, config: { row_limit: 10 }, ...ordered('asc') }), 'app'],
    [metrics({ ...byUser, ...ordered('desc') }), 'app'],
    [metrics({ ...byUser, config: { row_limit: 10 }, ...ordered('desc'), timeDimension: { granularity: 'day' } }), 'app'],
    [metrics({ dimensions: [{ field: 'costType' }, { field: 'usageType' }] }), 'app'],
    [metrics({ filters: [{ ...condition, type: 'number', value: 1 }] }), 'app'],
  ],
  '/v3/scores': [
    [{ nope: '1' }, 'shape'],
    [{ limit: '101' }, 'shape'],
    [{ cursor: 'x' }, { says: 'Invalid cursor format' }],
    ...[
      ...[{ fields: 'nope' }, { source: 'x' }, { dataType: 'x' }, { value: '1' }, { value: '1', dataType: 'NUMERIC,BOOLEAN' }],
      ...[{ value: 'x', dataType: 'NUMERIC' }, { value: 'True', dataType: 'BOOLEAN' }, { value: 'x', dataType: 'TEXT' }, { valueMin: '1' }],
      ...[
        { valueMax: '1', dataType: 'BOOLEAN' },
        { traceId: 'a', sessionId: 'b' },
        { observationId: 'a' },
        { userId: 'a' },
        { traceTags: 'a' },
      ],
    ].map(query => [query as Readonly<Record<string, string>>, 'either'] as const),
  ],
  '/experiments': [
    [{}, 'shape'],
    [{ ...from, fields: 'nope' }, 'either'],
    [{ ...from, limit: '101' }, 'shape'],
    [{ ...from, scoreLimit: '51' }, 'shape'],
    [{ ...from, cursor: 'x' }, { says: 'Invalid cursor format' }],
    [{ ...from, ...filtered('string', 'experimentId', '=', 'x') }, 'app'],
  ],
  '/experiment-items': [
    [{}, 'shape'],
    [{ ...from, fields: 'nope' }, 'either'],
    [{ ...from, ...filtered('string', 'id', '=', 'x') }, 'app'],
  ],
}
export const refused: readonly Refused[] = Object.entries(lists).flatMap(([path, cases]) =>
  cases.map(([query, as]) => ({ path, query, as })),
)

export function refusalOf(body: Readonly<Record<string, unknown>>): 'app' | 'shape' | undefined {
  if (body['error'] === 'InvalidRequestError' && typeof body['message'] === 'string') return 'app'
  const issues = body['error']
  const whole = Array.isArray(issues) && issues.every(({ code, message, path }) => code && message && Array.isArray(path))
  return body['message'] === 'Invalid request data' && whole ? 'shape' : undefined
}
