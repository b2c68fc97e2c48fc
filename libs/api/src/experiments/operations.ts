// Operations of experiments.
import { z } from 'zod'
import { queryInteger, queryJson, queryText, queryTime, required } from '../fields/query.ts'
import { operation } from '../operation.ts'
import { ExperimentItemsResponse, ExperimentsResponse } from './types.ts'

export const list = operation({
  id: 'experiments.list',
  method: 'GET',
  path: '/api/public/experiments',
  auth: 'project',
  query: z.object({
    fields: queryText,
    limit: queryInteger({ min: 1, max: 100 }),
    scoreLimit: queryInteger({ min: 0, max: 2_147_483_647 }),
    cursor: queryText,
    fromStartTime: required(queryTime),
    toStartTime: queryTime,
    id: queryText,
    name: queryText,
    datasetId: queryText,
    filter: queryJson,
  }),
  responses: { 200: ExperimentsResponse },
  gate: 'previewOptIn',
  servedBy: 'nobody',
  summary: 'List experiments, newest first.',
})

export const listItems = operation({
  id: 'experiments.listItems',
  method: 'GET',
  path: '/api/public/experiment-items',
  auth: 'project',
  query: z.object({
    fields: queryText,
    limit: queryInteger({ min: 1, max: 100 }),
    scoreLimit: queryInteger({ min: 0, max: 2_147_483_647 }),
    cursor: queryText,
    fromStartTime: required(queryTime),
    toStartTime: queryTime,
    experimentId: queryText,
    experimentName: queryText,
    experimentItemId: queryText,
    datasetId: queryText,
    filter: queryJson,
  }),
  responses: { 200: ExperimentItemsResponse },
  gate: 'previewOptIn',
  servedBy: 'nobody',
  summary: 'List experiment items with their scores.',
})
