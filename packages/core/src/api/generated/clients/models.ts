// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type EmptyRequest, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { CreateModelRequest, DeleteModelResponse, GetModelsRequest, Model, PaginatedModels } from '../types/models.ts'

export class ModelsClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Create a model definition with its prices. */
  create(request: CreateModelRequest, requestOptions?: RequestOptions): HttpResponsePromise<Model> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: '/api/public/models', body: request, errors: standardErrors },
      requestOptions,
    )
  }

  /** Delete a model definition of the project. */
  delete(id: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<DeleteModelResponse> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: `/api/public/models/${encodeURIComponent(id)}`, errors: standardErrors },
      requestOptions,
    )
  }

  /** Get a model definition. */
  get(id: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<Model> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: `/api/public/models/${encodeURIComponent(id)}`, errors: standardErrors },
      requestOptions,
    )
  }

  /** List model definitions, the shipped ones included. */
  list(request: GetModelsRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<PaginatedModels> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/models', query: { ...request }, errors: standardErrors },
      requestOptions,
    )
  }

  /** Create or replace a model definition of the project. */
  upsert(id: string, request: CreateModelRequest, requestOptions?: RequestOptions): HttpResponsePromise<Model> {
    return sendApiRequest(
      this.options,
      { method: 'PUT', path: `/api/public/models/${encodeURIComponent(id)}`, body: request, errors: standardErrors },
      requestOptions,
    )
  }
}
