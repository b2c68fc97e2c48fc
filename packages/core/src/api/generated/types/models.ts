// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import type { MetaResponse } from './commons.ts'

export interface CreateModelRequest {
  modelName: string
  matchPattern: string
  startDate?: string | null | undefined
  unit: ModelUsageUnit
  inputPrice?: number | null | undefined
  outputPrice?: number | null | undefined
  totalPrice?: number | null | undefined
  pricingTiers?: PricingTierInput[] | null | undefined
  tokenizerId?: ModelTokenizerId | null | undefined
  tokenizerConfig?: unknown
}

export interface DeleteModelResponse {
  message: string
}

export interface GetModelsRequest {
  page?: number | undefined
  limit?: number | undefined
}

export interface Model {
  id: string
  modelName: string
  matchPattern: string
  startDate: string | null
  unit?: ModelUsageUnit | null | undefined
  inputPrice: number | null
  outputPrice: number | null
  totalPrice: number | null
  tokenizerId: string | null
  tokenizerConfig?: unknown
  isSvcManaged: boolean
  createdAt: string
  prices: Record<string, ModelPrice>
  pricingTiers: PricingTier[]
}

export interface ModelPrice {
  price: number
}

export const ModelTokenizerId = {
  OpenAi: 'openai',
  Claude: 'claude',
} as const
export type ModelTokenizerId = (typeof ModelTokenizerId)[keyof typeof ModelTokenizerId]

export const ModelUsageUnit = {
  Characters: 'CHARACTERS',
  Tokens: 'TOKENS',
  Milliseconds: 'MILLISECONDS',
  Seconds: 'SECONDS',
  Images: 'IMAGES',
  Requests: 'REQUESTS',
} as const
export type ModelUsageUnit = (typeof ModelUsageUnit)[keyof typeof ModelUsageUnit]

export interface PaginatedModels {
  data: Model[]
  meta: MetaResponse
}

export interface PricingTier {
  id: string
  name: string
  isDefault: boolean
  priority: number
  conditions: PricingTierCondition[]
  prices: Record<string, number>
}

export interface PricingTierAttributeCondition {
  source: PricingTierAttributeSource
  key: string
  operator: 'in'
  values: string[]
}

export const PricingTierAttributeSource = {
  ModelParameters: 'model_parameters',
  Metadata: 'metadata',
} as const
export type PricingTierAttributeSource = (typeof PricingTierAttributeSource)[keyof typeof PricingTierAttributeSource]

export type PricingTierCondition = PricingTierUsageCondition | PricingTierAttributeCondition

export type PricingTierConditionInput = PricingTierUsageConditionInput | PricingTierAttributeCondition

export interface PricingTierInput {
  name: string
  isDefault?: boolean | undefined
  priority: number
  conditions: PricingTierConditionInput[]
  prices: Record<string, number>
}

export const PricingTierOperator = {
  Gt: 'gt',
  Gte: 'gte',
  Lt: 'lt',
  Lte: 'lte',
  Eq: 'eq',
  Neq: 'neq',
} as const
export type PricingTierOperator = (typeof PricingTierOperator)[keyof typeof PricingTierOperator]

export interface PricingTierUsageCondition {
  usageDetailPattern: string
  operator: PricingTierOperator
  value: number
  caseSensitive: boolean
}

export interface PricingTierUsageConditionInput {
  usageDetailPattern: string
  operator: PricingTierOperator
  value: number
  caseSensitive?: boolean | undefined
}
