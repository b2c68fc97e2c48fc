// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type EmptyRequest, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { CreateDatasetRequest, Dataset, GetDatasetsRequest, PaginatedDatasets } from '../types/datasets.ts'

export class DatasetsClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Create a dataset, or update the one of that name. */
  create(request: CreateDatasetRequest, requestOptions?: RequestOptions): HttpResponsePromise<Dataset> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: '/api/public/v2/datasets', body: request, errors: standardErrors },
      requestOptions,
    )
  }

  /** Get a dataset by its name. */
  get(datasetName: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<Dataset> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: `/api/public/v2/datasets/${encodeURIComponent(datasetName)}`, errors: standardErrors },
      requestOptions,
    )
  }

  /** List datasets. */
  list(request: GetDatasetsRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<PaginatedDatasets> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/v2/datasets', query: { ...request }, errors: standardErrors },
      requestOptions,
    )
  }
}
