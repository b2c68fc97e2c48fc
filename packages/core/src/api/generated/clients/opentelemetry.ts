// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { OtelTraceRequest, OtelTraceResponse } from '../types/opentelemetry.ts'

export class OpentelemetryClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Ingest spans by OTLP over HTTP. */
  exportTraces(request: OtelTraceRequest, requestOptions?: RequestOptions): HttpResponsePromise<OtelTraceResponse> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: '/api/public/otel/v1/traces', body: request, errors: standardErrors },
      requestOptions,
    )
  }
}
