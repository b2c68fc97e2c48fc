import { z } from 'zod'
import { listOf, recordOf, responseTime, storedName, storedText } from '../fields/fields.ts'
import { MetaResponse } from '../shared/types.ts'

export const DeleteLlmConnectionResponse = z
  .object({
    message: z.string(),
  })
  .meta({ id: 'DeleteLlmConnectionResponse' })

export const LlmAdapter = z
  .enum(['anthropic', 'openai', 'azure', 'bedrock', 'google-vertex-ai', 'google-ai-studio'])
  .meta({ id: 'LlmAdapter' })

export const LlmConnection = z
  .object({
    id: z.string(),
    provider: z.string(),
    adapter: z.string(),
    displaySecretKey: z.string(),
    baseURL: z.string().nullable(),
    customModels: z.array(z.string()),
    withDefaultModels: z.boolean(),
    extraHeaderKeys: z.array(z.string()),
    config: recordOf(z.unknown()).nullable(),
    createdAt: responseTime,
    updatedAt: responseTime,
  })
  .meta({ id: 'LlmConnection' })

export const PaginatedLlmConnections = z
  .object({
    data: z.array(LlmConnection),
    meta: MetaResponse,
  })
  .meta({ id: 'PaginatedLlmConnections' })

export const UpsertLlmConnectionRequest = z
  .object({
    provider: storedName(200),
    adapter: LlmAdapter,
    secretKey: storedName(100_000),
    baseURL: storedName(2_048).nullish(),
    customModels: listOf(storedName(500), { max: 1_000 }).nullish(),
    withDefaultModels: z.boolean().nullish(),
    extraHeaders: recordOf(storedText).nullish(),
    config: recordOf(z.unknown()).nullish(),
  })
  .meta({ id: 'UpsertLlmConnectionRequest' })

export const LlmConnectionTestRequest = z
  .object({
    model: storedName(500).nullish(),
  })
  .meta({ id: 'LlmConnectionTestRequest' })

/** The reason why a model call returned no value. */
export const LlmCallProblem = z
  .enum([
    'address_refused',
    'authentication',
    'misconfigured',
    'not_found',
    'rate_limited',
    'redirected',
    'rejected',
    'response_invalid',
    'response_too_large',
    'timed_out',
    'unavailable',
    'unreachable',
  ])
  .meta({ id: 'LlmCallProblem' })

export const LlmConnectionTest = z
  .object({
    ok: z.boolean(),
    model: z.string(),
    durationMs: z.number(),
    reason: LlmCallProblem.nullable(),
    message: z.string().nullable(),
    providerStatus: z.int().nullable(),
  })
  .meta({ id: 'LlmConnectionTest' })
