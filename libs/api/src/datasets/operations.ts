import { z } from 'zod'
import { pageParameters } from '../fields/query.ts'
import { operation } from '../operation.ts'
import { MetaResponse } from '../shared/types.ts'
import { CreateDatasetRequest, Dataset, DatasetWithItemIds, DatasetWithItems, PaginatedDatasets } from './types.ts'

export const list = operation({
  id: 'datasets.list',
  method: 'GET',
  path: '/api/public/v2/datasets',
  auth: 'project',
  query: z.object({ ...pageParameters() }),
  responses: { 200: PaginatedDatasets },
  bucket: 'datasets',
  summary: 'List datasets.',
})

export const get = operation({
  id: 'datasets.get',
  method: 'GET',
  path: '/api/public/v2/datasets/{datasetName}',
  auth: 'project',
  responses: { 200: Dataset },
  bucket: 'datasets',
  errors: ['not_found'],
  emptyRequest: true,
  summary: 'Get a dataset by its name.',
})

export const create = operation({
  id: 'datasets.create',
  method: 'POST',
  path: '/api/public/v2/datasets',
  auth: 'project',
  body: CreateDatasetRequest,
  exactNumbers: true,
  responses: { 200: Dataset },
  bucket: 'datasets',
  summary: 'Create a dataset, or update the dataset with the same name.',
})

/** Properties of all dataset routes that are older than API v2 (contract §20.8). */
const former = { auth: 'project', bucket: 'datasets', surface: 'legacy' } as const

export const formerList = operation({
  ...former,
  id: 'legacy.listDatasets',
  method: 'GET',
  path: '/api/public/datasets',
  query: z.object({ ...pageParameters() }),
  responses: { 200: z.object({ data: z.array(DatasetWithItemIds), meta: MetaResponse }) },
  summary: 'List datasets with the ids of their items and the names of their runs.',
})

export const formerGet = operation({
  ...former,
  id: 'legacy.getDataset',
  method: 'GET',
  path: '/api/public/datasets/{name}',
  responses: { 200: DatasetWithItems },
  errors: ['not_found', 'bad_request'],
  summary: 'Get a dataset with its items and the names of its runs.',
})

export const formerCreate = operation({
  ...former,
  id: 'legacy.createDataset',
  method: 'POST',
  path: '/api/public/datasets',
  body: CreateDatasetRequest,
  exactNumbers: true,
  responses: { 200: DatasetWithItems },
  summary: 'Create a dataset, or update the dataset with the same name.',
})
