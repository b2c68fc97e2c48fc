// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { GetMetricsV2Request, MetricsV2Response } from '../types/metrics.ts'

export class MetricsClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Aggregate observations or scores by dimensions and time. */
  metrics(request: GetMetricsV2Request, requestOptions?: RequestOptions): HttpResponsePromise<MetricsV2Response> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/v2/metrics', query: { ...request }, errors: standardErrors },
      requestOptions,
    )
  }
}
