// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { IngestionRequest, IngestionResponse } from '../types/ingestion.ts'

export class IngestionClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Ingest a batch of events of older SDKs; each event is answered by itself. */
  batch(request: IngestionRequest, requestOptions?: RequestOptions): HttpResponsePromise<IngestionResponse> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: '/api/public/ingestion', body: request, errors: standardErrors },
      requestOptions,
    )
  }
}
