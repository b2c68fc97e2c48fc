// The query of GET /api/public/v3/scores (public-api-data.md §1.1): strict, every key known.
import { z } from 'zod'
import { isoTime } from './fields.ts'
import { maxCursorLength } from './score-cursor.ts'

const maxListed = 100

/** Comma-separated; pieces are trimmed, empty ones dropped, an empty text counts as absent. */
const list = z
  .string()
  .transform(text => [
    ...new Set(
      text
        .split(',')
        .map(piece => piece.trim())
        .filter(piece => piece !== ''),
    ),
  ])
  .refine(pieces => pieces.length <= maxListed, { message: `Name ${maxListed} values at most.` })
  .transform(pieces => (pieces.length === 0 ? undefined : pieces))
  .optional()

const listedOf = <const T extends string>(values: readonly [T, ...T[]], normal: (text: string) => string) => {
  const isValue = (text: string): text is T => (values as readonly string[]).includes(text)
  return list.transform((pieces, context) => {
    const named = pieces?.map(normal)
    if (named === undefined || named.every(isValue)) return named
    context.addIssue({ code: 'custom', message: `Expected ${values.join(', ')}.` })
    return z.NEVER
  })
}

const number = z
  .string()
  .transform(text => (text.trim() === '' ? undefined : Number(text)))
  .refine(value => value === undefined || Number.isFinite(value), { message: 'Expected a finite number.' })
  .optional()

const upper = (text: string) => text.toUpperCase()
const absent = z.literal('', 'This filter needs a join with traces, which this route does not make.').optional()
const time = z.union([z.literal('').transform(() => undefined), isoTime]).optional()

const scoreFieldGroups = ['core', 'details', 'subject', 'annotation'] as const

const shape = z.strictObject({
  limit: z
    .string()
    .transform(text => (text.trim() === '' ? 50 : Number(text)))
    .refine(limit => Number.isInteger(limit) && limit >= 1 && limit <= 100, { message: 'Expected a whole number, 1 to 100.' })
    .optional(),
  cursor: z.string().max(maxCursorLength).optional(),
  fields: listedOf(scoreFieldGroups, text => text),
  id: list,
  name: list,
  environment: list,
  configId: list,
  queueId: list,
  authorUserId: list,
  source: listedOf(['API', 'ANNOTATION', 'EVAL'], upper),
  dataType: listedOf(['NUMERIC', 'BOOLEAN', 'CATEGORICAL', 'TEXT', 'CORRECTION'], upper),
  value: list,
  valueMin: number,
  valueMax: number,
  traceId: list,
  sessionId: list,
  experimentId: list,
  observationId: list,
  fromTimestamp: time,
  toTimestamp: time,
  userId: absent,
  traceTags: absent,
})

type Query = z.infer<typeof shape>

const only = (query: Query): string | undefined => (query.dataType?.length === 1 ? query.dataType[0] : undefined)

function valueMessage({ value = [], ...query }: Query): string | undefined {
  if (value.length === 0) return undefined
  const type = only(query)
  if (type === 'NUMERIC')
    return value.every(text => Number.isFinite(Number(text))) ? undefined : 'With dataType=NUMERIC the values are finite numbers.'
  if (type === 'BOOLEAN')
    return value.every(text => text === 'true' || text === 'false') ? undefined : 'With dataType=BOOLEAN the values are true or false.'
  return type === 'CATEGORICAL' ? undefined : 'value needs one dataType: NUMERIC, BOOLEAN or CATEGORICAL.'
}

export const scoreQuery = shape.superRefine((query, context) => {
  const issue = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
  const problem = valueMessage(query)
  if (problem !== undefined) issue('value', problem)
  for (const bound of ['valueMin', 'valueMax'] as const) {
    if (query[bound] !== undefined && only(query) !== 'NUMERIC') issue(bound, `${bound} needs dataType=NUMERIC.`)
  }
  const subjects = (['traceId', 'sessionId', 'experimentId'] as const).filter(key => query[key] !== undefined)
  if (subjects.length > 1) issue(subjects[1]!, `${subjects.join(' and ')} exclude each other.`)
  if (query.observationId !== undefined && query.traceId === undefined) issue('observationId', 'observationId needs traceId.')
})

export type ScoreQuery = z.infer<typeof scoreQuery>
