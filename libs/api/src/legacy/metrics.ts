// Metrics on the v3 tables (contract §4.5; contract §20.7).
import { z } from 'zod'
import { pageParameters, queryJson, queryText, queryTime, repeated, required } from '../fields/query.ts'
import { MetricsV2Response } from '../metrics/types.ts'
import { operation } from '../operation.ts'
import { replacements } from './replacements.ts'
import { DailyMetrics } from './types.ts'

const shared = {
  method: 'GET',
  auth: 'project',
  gate: 'notInEventsOnly',
  surface: 'legacy',
  errors: ['column_store_overloaded', 'column_store_unavailable'],
  replacedBy: replacements.metrics,
} as const

export const metricsV1 = operation({
  ...shared,
  id: 'legacy.metrics',
  path: '/api/public/metrics',
  query: z.object({ query: required(queryJson) }),
  responses: { 200: MetricsV2Response },
  bucket: 'public-api-metrics',
  waits: true,
  summary: 'Aggregate traces, observations or scores by dimensions and time.',
})

export const dailyMetrics = operation({
  ...shared,
  id: 'legacy.dailyMetrics',
  path: '/api/public/metrics/daily',
  query: z.object({
    ...pageParameters(),
    traceName: queryText,
    userId: queryText,
    tags: repeated,
    environment: repeated,
    fromTimestamp: queryTime,
    toTimestamp: queryTime,
  }),
  responses: { 200: DailyMetrics },
  bucket: 'public-api-daily-metrics-legacy',
  waits: true,
  summary: 'List traces, observations and usage by day, newest first.',
})
