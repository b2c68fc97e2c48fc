// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type EmptyRequest, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { DeleteTraceResponse, DeleteTracesRequest } from '../types/trace.ts'

export class TraceClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Delete a trace with its observations and scores. */
  delete(traceId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<DeleteTraceResponse> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: `/api/public/traces/${encodeURIComponent(traceId)}`, errors: standardErrors },
      requestOptions,
    )
  }

  /** Delete traces with their observations and scores. */
  deleteMultiple(request: DeleteTracesRequest, requestOptions?: RequestOptions): HttpResponsePromise<DeleteTraceResponse> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: '/api/public/traces', body: request, errors: standardErrors },
      requestOptions,
    )
  }
}
