// Dataset runs and their items, which v4 represents as experiments (contract §4.5; contract §20.8).
import { z } from 'zod'
import { pageParameters, queryText, required } from '../fields/query.ts'
import { operation } from '../operation.ts'
import { replacements } from './replacements.ts'
import { DatasetRunItems, DatasetRuns, DatasetRunWithItems } from './types.ts'

const shared = {
  auth: 'project',
  gate: 'notInEventsOnly',
  surface: 'legacy',
  bucket: 'datasets',
  errors: ['not_found', 'column_store_overloaded', 'column_store_unavailable'],
} as const

export const listRunItems = operation({
  ...shared,
  id: 'legacy.listRunItems',
  method: 'GET',
  path: '/api/public/dataset-run-items',
  query: z.object({ ...pageParameters(), datasetId: required(queryText), runName: required(queryText) }),
  responses: { 200: DatasetRunItems },
  replacedBy: replacements.experiments,
  waits: true,
  summary: 'List the items of a dataset run, newest first.',
})

export const listRuns = operation({
  ...shared,
  id: 'legacy.listDatasetRuns',
  method: 'GET',
  path: '/api/public/datasets/{name}/runs',
  query: z.object({ ...pageParameters() }),
  responses: { 200: DatasetRuns },
  replacedBy: replacements.experiments,
  summary: 'List the runs of a dataset, newest first.',
})

export const getRun = operation({
  ...shared,
  id: 'legacy.getDatasetRun',
  method: 'GET',
  path: '/api/public/datasets/{name}/runs/{runName}',
  responses: { 200: DatasetRunWithItems },
  replacedBy: replacements.experiments,
  waits: true,
  summary: 'Get a run of a dataset with its items.',
})

export const deleteRun = operation({
  ...shared,
  id: 'legacy.deleteDatasetRun',
  method: 'DELETE',
  path: '/api/public/datasets/{name}/runs/{runName}',
  responses: { 200: z.object({ message: z.string() }) },
  replacedBy: replacements.deletedRuns,
  summary: 'Delete a run of a dataset with its run items. The traces are not deleted.',
})
