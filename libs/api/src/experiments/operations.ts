// Experiments and their items (contract §17.5).
import { z } from 'zod'
import { commaText, limitParameter, queryJson, queryText, queryTime, required } from '../fields/query.ts'
import { operation } from '../operation.ts'
import { maxStreamRows } from '../streams.ts'
import { ExperimentItemsResponse, ExperimentsResponse } from './types.ts'

const paged = {
  limit: limitParameter({ max: 100 }),
  /** Maximum number of scores per experiment or item. */
  scoreLimit: limitParameter({ max: 50 }),
  cursor: queryText,
  fromStartTime: required(queryTime),
  toStartTime: queryTime,
  filter: queryJson,
}

const shared = {
  method: 'GET',
  auth: 'project',
  errors: ['column_store_overloaded', 'column_store_unavailable'],
  gate: 'previewOptIn',
} as const

export const list = operation({
  ...shared,
  id: 'experiments.list',
  path: '/api/public/experiments',
  query: z.object({
    fields: commaText(['core', 'metadata', 'scores']),
    ...paged,
    id: commaText(),
    name: commaText(),
    datasetId: commaText(),
  }),
  responses: { 200: ExperimentsResponse },
  waits: true,
  summary: 'List experiments, most recently active first.',
})

const itemsQuery = z.object({
  fields: commaText(['core', 'dataset', 'io', 'metadata', 'itemMetadata', 'experimentMetadata', 'scores']),
  ...paged,
  experimentId: commaText(),
  experimentName: commaText(),
  experimentItemId: commaText(),
  datasetId: commaText(),
})

export const listItems = operation({
  ...shared,
  id: 'experiments.listItems',
  path: '/api/public/experiment-items',
  query: itemsQuery,
  streamQuery: itemsQuery.extend({ limit: limitParameter({ min: 0, max: maxStreamRows }) }),
  responses: { 200: ExperimentItemsResponse },
  waits: true,
  summary: 'List experiment items, newest first, with the scores of each item.',
})
