// GET /api/public/v3/scores: what was written, in every write mode.

import * as scores from '@svc-server/api/scores/operations'
import { handle, JsonText, reply } from '../../request/handler.ts'
import { decodeCursor, encodeCursor } from '../../scores/cursor.ts'

export const getMany = handle(
  scores.getMany,
  async ({ project: { projectId }, query }, { scores: reader, completeUntil, planner }) => {
    const { limit = 50, cursor, fields: groups = ['core'] } = query
    const after = cursor === undefined ? undefined : decodeCursor(cursor)
    // Before the rows: what is acknowledged meanwhile is not promised.
    const until = await completeUntil('scores')
    const { rows, next } = await reader.page(projectId, query, limit, after)
    const meta = { limit, ...(next && { cursor: encodeCursor(next) }) }
    const text = await planner.render({ kind: 'page', rows, projectId, groups, meta }, projectId)
    return reply(200, new JsonText(text), until === undefined ? {} : { 'x-svc-complete-until': until })
  },
  { queue: 'columnStore' },
)
