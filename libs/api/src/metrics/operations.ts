// Metrics v2 (contract §17.4).
import { z } from 'zod'
import { queryJson, required } from '../fields/query.ts'
import { operation } from '../operation.ts'
import { MetricsV2Response } from './types.ts'

export const metrics = operation({
  id: 'metrics.metrics',
  method: 'GET',
  path: '/api/public/v2/metrics',
  auth: 'project',
  query: z.object({ query: required(queryJson) }),
  responses: { 200: MetricsV2Response },
  bucket: 'public-api-v2-metrics',
  gate: 'previewOptInNotInLegacy',
  errors: ['column_store_overloaded', 'column_store_unavailable'],
  waits: true,
  summary: 'Aggregate observations or scores by dimensions and time.',
})
