// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import type { ObservationLevel, ScoreV3 } from './commons.ts'

export interface Experiment {
  id: string
  name: string
  description: string | null
  startTime: string
  endTime: string
  itemCount: number
  datasetId: string | null
  metadata?: Record<string, unknown> | null | undefined
  scores?: ScoreV3[] | undefined
}

export interface ExperimentItem {
  id: string
  traceId: string
  startTime: string
  endTime: string | null
  level: ObservationLevel
  environment: string
  experimentId: string
  experimentName: string
  experimentItemId: string
  experimentDatasetId?: string | null | undefined
  experimentItemVersion?: string | null | undefined
  input?: unknown
  output?: unknown
  expectedOutput?: unknown
  metadata?: Record<string, unknown> | null | undefined
  experimentItemMetadata?: Record<string, unknown> | null | undefined
  experimentMetadata?: Record<string, unknown> | null | undefined
  experimentDescription?: string | null | undefined
  scores?: ScoreV3[] | undefined
}

export interface ExperimentItemsResponse {
  data: ExperimentItem[]
  meta: ExperimentsResponseMeta
}

export interface ExperimentsResponse {
  data: Experiment[]
  meta: ExperimentsResponseMeta
}

export interface ExperimentsResponseMeta {
  cursor?: string | undefined
}

export interface ListExperimentItemsRequest {
  fields?: string | undefined
  limit?: number | undefined
  scoreLimit?: number | undefined
  cursor?: string | undefined
  fromStartTime: string
  toStartTime?: string | undefined
  filter?: string | undefined
  experimentId?: string | undefined
  experimentName?: string | undefined
  experimentItemId?: string | undefined
  datasetId?: string | undefined
}

export interface ListExperimentsRequest {
  fields?: string | undefined
  limit?: number | undefined
  scoreLimit?: number | undefined
  cursor?: string | undefined
  fromStartTime: string
  toStartTime?: string | undefined
  filter?: string | undefined
  id?: string | undefined
  name?: string | undefined
  datasetId?: string | undefined
}
