// GET /api/public/v3/scores: what was written, in every write mode.
import { InvalidBody } from '../events/invalid-body.ts'
import { issuesOf, refused } from '../events/refusals.ts'
import { jsonText } from '../http/answers.ts'
import type { CallerRequest, Endpoint } from '../http/endpoint.ts'
import { encodeCursor } from '../schemas/score-cursor.ts'
import { type ScoreQuery, scoreQuery } from '../schemas/score-query.ts'
import type { CompleteUntil } from '../scores/complete-until.ts'
import { decodeCursor } from '../scores/cursor.ts'
import type { ScoreReader } from '../scores/read.ts'
import type { RouteTools } from './tools.ts'

export interface ReadScoresOptions extends Pick<ScoreReader, 'page'>, Pick<RouteTools, 'planner'> {
  readonly completeUntil: CompleteUntil
}

export function readScoreRoutes({ page, completeUntil, planner }: ReadScoresOptions): readonly Endpoint[] {
  async function list({ caller: { projectId }, query: given }: CallerRequest) {
    const query = parseQuery(given)
    const { limit = 50, cursor, fields = ['core'] } = query
    // Before the rows: what is acknowledged meanwhile is not promised.
    const until = await completeUntil('scores')
    const { rows, next } = await page(projectId, query, limit, cursor ? decodeCursor(cursor) : undefined)
    const meta = { limit, ...(next && { cursor: encodeCursor(next) }) }
    const text = await planner.plan({ kind: 'page', rows, projectId, groups: fields, meta }, projectId)
    return jsonText(200, text, until === undefined ? {} : { 'x-svc-complete-until': until })
  }
  return [{ method: 'GET', path: '/api/public/v3/scores', kind: 'reader', answer: list }]
}

/** Throws InvalidBody; also for a key that is given twice, of which no one could say which counts. */
function parseQuery(given: URLSearchParams): ScoreQuery {
  const repeated = [...given.keys()].find((key, at, keys) => keys.indexOf(key) !== at)
  if (repeated !== undefined) throw new InvalidBody(refused('The key is given more than once.', [repeated.slice(0, 100)]))
  const parsed = scoreQuery.safeParse(Object.fromEntries(given))
  if (!parsed.success) throw new InvalidBody(issuesOf(parsed.error))
  return parsed.data
}
