// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import type { ScoreV3 } from './commons.ts'

export interface CreateScoreBatchError {
  message: string
  index: number
  id?: string | undefined
}

export interface CreateScoreBatchResponse {
  message: string
}

export interface CreateScoreBatchResults {
  accepted: number
  rejected: number
  errors: CreateScoreBatchError[]
}

export interface CreateScoreResponse {
  id: string
}

export type CreateScoresResponse = CreateScoreBatchResponse | CreateScoreBatchResults

export interface GetScoresV3Meta {
  cursor?: string | undefined
  limit: number
}

export interface GetScoresV3Request {
  limit?: number | undefined
  cursor?: string | undefined
  fields?: string | undefined
  id?: string | undefined
  name?: string | undefined
  environment?: string | undefined
  configId?: string | undefined
  queueId?: string | undefined
  authorUserId?: string | undefined
  source?: string | undefined
  dataType?: string | undefined
  value?: string | undefined
  valueMin?: number | undefined
  valueMax?: number | undefined
  traceId?: string | undefined
  sessionId?: string | undefined
  experimentId?: string | undefined
  observationId?: string | undefined
  fromTimestamp?: string | undefined
  toTimestamp?: string | undefined
}

export interface GetScoresV3Response {
  data: ScoreV3[]
  meta: GetScoresV3Meta
}
