// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import type { MetaResponse } from './commons.ts'

export interface CreateDatasetRequest {
  name: string
  description?: string | undefined
  metadata?: unknown
  inputSchema?: unknown
  expectedOutputSchema?: unknown
}

export interface Dataset {
  id: string
  name: string
  description: string | null
  metadata?: unknown
  inputSchema: unknown
  expectedOutputSchema: unknown
  projectId: string
  createdAt: string
  updatedAt: string
}

export interface GetDatasetsRequest {
  page?: number | undefined
  limit?: number | undefined
}

export interface PaginatedDatasets {
  data: Dataset[]
  meta: MetaResponse
}
