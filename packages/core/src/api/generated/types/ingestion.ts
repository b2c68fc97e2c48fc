// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import type { ScoreEvent } from './commons.ts'

export interface IngestionError {
  id: string
  status: number
  message?: string | undefined
  error?: unknown
}

export type IngestionEvent =
  | ({ type: 'score-create' } & ScoreEvent)

export interface IngestionRequest {
  batch: IngestionEvent[]
  metadata?: unknown
}

export interface IngestionResponse {
  successes: IngestionSuccess[]
  errors: IngestionError[]
}

export interface IngestionSuccess {
  id: string
  status: number
}
