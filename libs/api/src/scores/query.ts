// The query of GET /api/public/v3/scores (contract §17.1). Unknown keys are rejected.
import { z } from 'zod'
import { commaList, commaListOf, emptyAlone, limitParameter, queryNumber, queryText, queryTime } from '../fields/query.ts'
import { maxStreamRows } from '../streams.ts'

const upper = (text: string) => text.toUpperCase()
const absent = emptyAlone('This filter needs data of traces, which this route does not support.')

const scoreFieldGroups = ['core', 'details', 'subject', 'annotation'] as const

const shape = z.strictObject({
  limit: limitParameter({ max: 100 }),
  cursor: queryText,
  fields: commaListOf(scoreFieldGroups),
  id: commaList,
  name: commaList,
  environment: commaList,
  configId: commaList,
  queueId: commaList,
  authorUserId: commaList,
  source: commaListOf(['API', 'ANNOTATION', 'EVAL'], upper),
  dataType: commaListOf(['NUMERIC', 'BOOLEAN', 'CATEGORICAL', 'TEXT', 'CORRECTION'], upper),
  value: commaList,
  valueMin: queryNumber,
  valueMax: queryNumber,
  traceId: commaList,
  sessionId: commaList,
  experimentId: commaList,
  observationId: commaList,
  fromTimestamp: queryTime,
  toTimestamp: queryTime,
  userId: absent,
  traceTags: absent,
})

type Query = z.infer<typeof shape>

const only = (query: Query): string | undefined => (query.dataType?.length === 1 ? query.dataType[0] : undefined)

function valueMessage({ value = [], ...query }: Query): string | undefined {
  if (value.length === 0) return undefined
  const type = only(query)
  if (type === 'NUMERIC')
    return value.every(text => Number.isFinite(Number(text))) ? undefined : 'With dataType=NUMERIC, values must be finite numbers.'
  if (type === 'BOOLEAN')
    return value.every(text => text === 'true' || text === 'false') ? undefined : 'With dataType=BOOLEAN, values must be true or false.'
  return type === 'CATEGORICAL' ? undefined : 'A filter by value requires exactly one dataType: NUMERIC, BOOLEAN or CATEGORICAL.'
}

export const scoreQuery = shape.superRefine((query, context) => {
  const issue = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
  const problem = valueMessage(query)
  if (problem !== undefined) issue('value', problem)
  for (const bound of ['valueMin', 'valueMax'] as const) {
    if (query[bound] !== undefined && only(query) !== 'NUMERIC') issue(bound, `${bound} needs dataType=NUMERIC.`)
  }
  const subjects = (['traceId', 'sessionId', 'experimentId'] as const).filter(key => query[key] !== undefined)
  if (subjects.length > 1) issue(subjects[1]!, `Give only one of ${subjects.join(' and ')}.`)
  if (query.observationId !== undefined && query.traceId === undefined) issue('observationId', 'observationId needs traceId.')
})

export const scoreStreamQuery = scoreQuery.safeExtend({ limit: limitParameter({ min: 0, max: maxStreamRows }) })

export type ScoreQuery = z.infer<typeof scoreQuery>
