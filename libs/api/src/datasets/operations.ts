// Operations of datasets.
import { z } from 'zod'
import { pageParameters } from '../fields/query.ts'
import { operation } from '../operation.ts'
import { CreateDatasetRequest, Dataset, PaginatedDatasets } from './types.ts'

export const list = operation({
  id: 'datasets.list',
  method: 'GET',
  path: '/api/public/v2/datasets',
  auth: 'project',
  query: z.object({ ...pageParameters() }),
  responses: { 200: PaginatedDatasets },
  bucket: 'datasets',
  servedBy: 'nobody',
  summary: 'List datasets.',
})

export const get = operation({
  id: 'datasets.get',
  method: 'GET',
  path: '/api/public/v2/datasets/{datasetName}',
  auth: 'project',
  responses: { 200: Dataset },
  bucket: 'datasets',
  servedBy: 'nobody',
  emptyRequest: true,
  summary: 'Get a dataset by its name.',
})

export const create = operation({
  id: 'datasets.create',
  method: 'POST',
  path: '/api/public/v2/datasets',
  auth: 'project',
  body: CreateDatasetRequest,
  responses: { 200: Dataset },
  bucket: 'datasets',
  servedBy: 'nobody',
  summary: 'Create a dataset, or update the one of that name.',
})
