// GET /api/public/v3/scores, in every write mode.

import * as scores from '@svc-server/api/scores/operations'
import { streamScores } from '@svc-server/query/scores'
import { handle, JsonText, reply } from '../../request/handler.ts'
import { decodeCursor, encodeCursor, hashOfFilters } from '../../scores/cursor.ts'

export const getMany = handle(
  scores.getMany,
  async ({ project: { projectId }, query, signal }, deps) => {
    const { limit = 50, cursor, fields: groups = ['core'] } = query
    const hash = hashOfFilters(query)
    const after = cursor === undefined ? undefined : decodeCursor(cursor, hash)
    const { rows, next } = await deps.scores.page(projectId, query, limit, after, signal)
    const meta = { limit, ...(next && { cursor: encodeCursor(next, hash) }) }
    const text = await deps.payloads.render({ kind: 'page', rows, projectId, groups, meta }, projectId)
    return reply(200, new JsonText(text))
  },
  {
    queue: 'columnStore',
    data: ['scores'],
    stream: ({ project: { projectId }, query }, tools, deps) => streamScores(deps.columnStore, { projectId, query, ...tools }),
  },
)
