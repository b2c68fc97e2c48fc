// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import type { ObservationLevel } from './commons.ts'

export interface GetObservationsV2Request {
  fields?: string | undefined
  expandMetadata?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
  parseIoAsJson?: boolean | undefined
  type?: string | undefined
  name?: string | undefined
  userId?: string | undefined
  sessionId?: string | undefined
  traceId?: string | undefined
  version?: string | undefined
  level?: ObservationLevel | undefined
  parentObservationId?: string | undefined
  isRootObservation?: boolean | undefined
  environment?: string | string[] | undefined
  fromStartTime?: string | undefined
  toStartTime?: string | undefined
  filter?: string | undefined
}

export interface ObservationV2 {
  id: string
  traceId: string | null
  startTime: string
  endTime: string | null
  projectId: string
  parentObservationId: string | null
  type: string
  isRootObservation?: boolean | undefined
  name?: string | null | undefined
  level?: ObservationLevel | undefined
  statusMessage?: string | null | undefined
  version?: string | null | undefined
  environment?: string | null | undefined
  bookmarked?: boolean | undefined
  public?: boolean | undefined
  userId?: string | null | undefined
  sessionId?: string | null | undefined
  completionStartTime?: string | null | undefined
  createdAt?: string | undefined
  updatedAt?: string | undefined
  input?: unknown
  output?: unknown
  metadata?: unknown
  model?: string | null | undefined
  providedModelName?: string | null | undefined
  internalModelId?: string | null | undefined
  modelParameters?: unknown
  usageDetails?: Record<string, number> | undefined
  costDetails?: Record<string, number> | undefined
  totalCost?: number | null | undefined
  usagePricingTierName?: string | null | undefined
  promptId?: string | null | undefined
  promptName?: string | null | undefined
  promptVersion?: number | null | undefined
  latency?: number | null | undefined
  timeToFirstToken?: number | null | undefined
  modelId: string | null
  inputPrice: string | null
  outputPrice: string | null
  totalPrice: string | null
  traceName?: string | null | undefined
  tags?: string[] | null | undefined
  release?: string | null | undefined
}

export interface ObservationsV2Meta {
  cursor?: string | undefined
}

export interface ObservationsV2Response {
  data: ObservationV2[]
  meta: ObservationsV2Meta
}
