// Scores in the formats of older API versions (contract §20.6).
import * as legacy from '@svc-server/api/legacy/reads'
import { AppError } from '@svc-server/errors'
import { findLegacyScore, isScore, listLegacyScores } from '@svc-server/query/legacy'
import type { Dependencies } from '../../request/dependencies.ts'
import { type Handler, handle, type ReplyOf, type RequestOf, reply } from '../../request/handler.ts'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { refused } from '../../validation/refusals.ts'
import { rendered } from './rendered.ts'

const queue = { queue: 'columnStore', data: ['scores'] } as const

type List = typeof legacy.listScoresV1 | typeof legacy.listScoresV2
type Get = typeof legacy.getScoreV1 | typeof legacy.getScoreV2

/** Throws InvalidBody. */
function leavesTraceOut({ fields, userId, traceTags }: RequestOf<List>['query']): boolean {
  if (fields === undefined) return false
  const groups = fields.split(',').map(each => each.trim())
  if (!groups.includes('score')) throw new InvalidBody(refused('fields must include score.', ['fields']))
  if (groups.includes('trace')) return false
  if (userId === undefined && traceTags === undefined) return true
  throw new InvalidBody(refused('fields must include trace if userId or traceTags is given.', ['fields']))
}

const list = (version: 'v1' | 'v2') =>
  async function listScores({ project: { projectId }, query, signal }: RequestOf<List>, deps: Dependencies): Promise<ReplyOf<List>> {
    const withoutTrace = leavesTraceOut(query)
    const found = await listLegacyScores(deps.columnStore, { projectId, query: { ...query, withoutTrace }, signal }, version)
    return rendered(deps, projectId, { is: 'scores', version, found })
  }

const get = (version: 'v1' | 'v2') =>
  async function getScore({ project: { projectId }, params, signal }: RequestOf<Get>, deps: Dependencies): Promise<ReplyOf<Get>> {
    const found = await findLegacyScore(deps.columnStore, { projectId, query: params.scoreId, signal }, version)
    if (found === undefined) throw new AppError('not_found', 'Score not found')
    if (!found.rows.every(isScore)) return reply(500, { message: 'Requested score is corrupted', error: 'InternalServerError' })
    return rendered(deps, projectId, { is: 'score', version, found })
  }

export const legacyScores: readonly Handler[] = [
  handle<List>(legacy.listScoresV1, list('v1'), queue),
  handle<Get>(legacy.getScoreV1, get('v1'), queue),
  handle<List>(legacy.listScoresV2, list('v2'), queue),
  handle<Get>(legacy.getScoreV2, get('v2'), queue),
]
