// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type EmptyRequest, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { DeleteLlmConnectionResponse, GetLlmConnectionsRequest, LlmConnection, PaginatedLlmConnections, UpsertLlmConnectionRequest } from '../types/llm-connections.ts'

export class LlmConnectionsClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Delete an LLM connection. */
  delete(id: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<DeleteLlmConnectionResponse> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: `/api/public/llm-connections/${encodeURIComponent(id)}`, errors: standardErrors },
      requestOptions,
    )
  }

  /** List LLM connections; secrets are masked. */
  list(request: GetLlmConnectionsRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<PaginatedLlmConnections> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/llm-connections', query: { ...request }, errors: standardErrors },
      requestOptions,
    )
  }

  /** Create or update the LLM connection of a provider. */
  upsert(request: UpsertLlmConnectionRequest, requestOptions?: RequestOptions): HttpResponsePromise<LlmConnection> {
    return sendApiRequest(
      this.options,
      { method: 'PUT', path: '/api/public/llm-connections', body: request, errors: standardErrors },
      requestOptions,
    )
  }
}
