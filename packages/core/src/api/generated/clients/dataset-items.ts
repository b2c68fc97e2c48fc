// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type EmptyRequest, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { CreateDatasetItemRequest, DatasetItem, DeleteDatasetItemResponse, GetDatasetItemsRequest, PaginatedDatasetItems } from '../types/dataset-items.ts'

export class DatasetItemsClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Create a dataset item, or a new version of one. */
  create(request: CreateDatasetItemRequest, requestOptions?: RequestOptions): HttpResponsePromise<DatasetItem> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: '/api/public/dataset-items', body: request, errors: standardErrors },
      requestOptions,
    )
  }

  /** Delete a dataset item. */
  delete(id: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<DeleteDatasetItemResponse> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: `/api/public/dataset-items/${encodeURIComponent(id)}`, errors: standardErrors },
      requestOptions,
    )
  }

  /** Get a dataset item. */
  get(id: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<DatasetItem> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: `/api/public/dataset-items/${encodeURIComponent(id)}`, errors: standardErrors },
      requestOptions,
    )
  }

  /** List dataset items, in their current state or their state at a given time. */
  list(request: GetDatasetItemsRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<PaginatedDatasetItems> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/dataset-items', query: { ...request }, errors: standardErrors },
      requestOptions,
    )
  }
}
