// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { evaluationErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type EmptyRequest, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { CreateEvaluatorRequest, DeletedEvaluator, Evaluator, EvaluatorVersionsPage, EvaluatorsPage, ListEvaluatorVersionsRequest, ListEvaluatorsRequest, UpdateEvaluatorRequest } from '../types/evaluators.ts'

export class EvaluatorsClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Create an evaluator. */
  create(request: CreateEvaluatorRequest, requestOptions?: RequestOptions): HttpResponsePromise<Evaluator> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: '/api/public/v2/evaluators', body: request, errors: evaluationErrors },
      requestOptions,
    )
  }

  /** Delete an evaluator. */
  delete(evaluatorId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<DeletedEvaluator> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: `/api/public/v2/evaluators/${encodeURIComponent(evaluatorId)}`, errors: evaluationErrors },
      requestOptions,
    )
  }

  /** Get an evaluator. */
  get(evaluatorId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<Evaluator> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: `/api/public/v2/evaluators/${encodeURIComponent(evaluatorId)}`, errors: evaluationErrors },
      requestOptions,
    )
  }

  /** List evaluators, newest first. */
  list(request: ListEvaluatorsRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<EvaluatorsPage> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/v2/evaluators', query: { ...request }, errors: evaluationErrors },
      requestOptions,
    )
  }

  /** List the versions of an evaluator, newest first. */
  listVersions(evaluatorId: string, request: ListEvaluatorVersionsRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<EvaluatorVersionsPage> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: `/api/public/v2/evaluators/${encodeURIComponent(evaluatorId)}/versions`, query: { ...request }, errors: evaluationErrors },
      requestOptions,
    )
  }

  /** Change an evaluator, or add a version of it. */
  update(evaluatorId: string, request: UpdateEvaluatorRequest, requestOptions?: RequestOptions): HttpResponsePromise<Evaluator> {
    return sendApiRequest(
      this.options,
      { method: 'PATCH', path: `/api/public/v2/evaluators/${encodeURIComponent(evaluatorId)}`, body: request, errors: evaluationErrors },
      requestOptions,
    )
  }
}
