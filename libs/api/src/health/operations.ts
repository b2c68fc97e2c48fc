// Checks of the server's health for clients and load balancers (contract §18.14).
import { z } from 'zod'
import { lenientText } from '../fields/query.ts'
import { operation } from '../operation.ts'
import { HealthResponse } from './types.ts'

export const health = operation({
  id: 'health.health',
  method: 'GET',
  path: '/api/public/health',
  auth: 'open',
  query: z.object({ failIfNoRecentEvents: lenientText, failIfDatabaseUnavailable: lenientText }),
  responses: { 200: HealthResponse, 503: HealthResponse },
  bucket: 'none',
  emptyRequest: true,
  summary: 'Report whether the server responds and, on request, whether its database responds.',
})

export const ready = operation({
  id: 'health.ready',
  method: 'GET',
  path: '/api/public/ready',
  auth: 'open',
  responses: { 200: HealthResponse, 500: HealthResponse },
  bucket: 'none',
  surface: 'extra',
  summary: 'Report whether this process serves requests.',
})
