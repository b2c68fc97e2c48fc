// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { ExperimentItemsResponse, ExperimentsResponse, ListExperimentItemsRequest, ListExperimentsRequest } from '../types/experiments.ts'

export class ExperimentsClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** List experiments, the latest activity first. */
  list(request: ListExperimentsRequest, requestOptions?: RequestOptions): HttpResponsePromise<ExperimentsResponse> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/experiments', query: { ...request }, errors: standardErrors },
      requestOptions,
    )
  }

  /** List experiment items with their scores, newest first. */
  listItems(request: ListExperimentItemsRequest, requestOptions?: RequestOptions): HttpResponsePromise<ExperimentItemsResponse> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/experiment-items', query: { ...request }, errors: standardErrors },
      requestOptions,
    )
  }
}
