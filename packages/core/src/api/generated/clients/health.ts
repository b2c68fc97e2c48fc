// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { healthErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type EmptyRequest, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { HealthResponse } from '../types/health.ts'

export class HealthClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Report whether the server and, where asked, its database answer. */
  health(_request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<HealthResponse> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/health', errors: healthErrors },
      requestOptions,
    )
  }
}
