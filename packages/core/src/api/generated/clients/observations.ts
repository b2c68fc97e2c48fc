// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { GetObservationsV2Request, ObservationsV2Response } from '../types/observations.ts'

export class ObservationsClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** List observations by filters, newest first. */
  getMany(request: GetObservationsV2Request = {}, requestOptions?: RequestOptions): HttpResponsePromise<ObservationsV2Response> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/v2/observations', query: { ...request }, errors: standardErrors },
      requestOptions,
    )
  }
}
