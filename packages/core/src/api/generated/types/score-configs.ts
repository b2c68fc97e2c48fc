// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import type { MetaResponse } from './commons.ts'

export interface ConfigCategory {
  value: number
  label: string
}

export interface CreateScoreConfigRequest {
  name: string
  dataType: ScoreConfigDataType
  categories?: ConfigCategory[] | undefined
  minValue?: number | undefined
  maxValue?: number | undefined
  description?: string | undefined
}

export interface GetScoreConfigsRequest {
  page?: number | undefined
  limit?: number | undefined
}

export interface ScoreConfig {
  id: string
  name: string
  createdAt: string
  updatedAt: string
  projectId: string
  dataType: ScoreConfigDataType
  isArchived: boolean
  minValue?: number | null | undefined
  maxValue?: number | null | undefined
  categories?: ConfigCategory[] | undefined
  description?: string | null | undefined
}

export const ScoreConfigDataType = {
  Numeric: 'NUMERIC',
  Boolean: 'BOOLEAN',
  Categorical: 'CATEGORICAL',
  Text: 'TEXT',
} as const
export type ScoreConfigDataType = (typeof ScoreConfigDataType)[keyof typeof ScoreConfigDataType]

export interface ScoreConfigs {
  data: ScoreConfig[]
  meta: MetaResponse
}

export interface UpdateScoreConfigRequest {
  isArchived?: boolean | undefined
  name?: string | undefined
  categories?: ConfigCategory[] | undefined
  minValue?: number | undefined
  maxValue?: number | undefined
  description?: string | undefined
}
