// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { evaluationErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type EmptyRequest, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { CreateEvaluationRuleRequest, DeletedEvaluationRule, EvaluationRule, EvaluationRulesPage, ListEvaluationRulesRequest, UpdateEvaluationRuleRequest } from '../types/evaluation-rules.ts'

export class EvaluationRulesClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Create an evaluation rule. */
  create(request: CreateEvaluationRuleRequest, requestOptions?: RequestOptions): HttpResponsePromise<EvaluationRule> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: '/api/public/v2/evaluation-rules', body: request, errors: evaluationErrors },
      requestOptions,
    )
  }

  /** Delete an evaluation rule. */
  delete(evaluationRuleId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<DeletedEvaluationRule> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: `/api/public/v2/evaluation-rules/${encodeURIComponent(evaluationRuleId)}`, errors: evaluationErrors },
      requestOptions,
    )
  }

  /** Get an evaluation rule. */
  get(evaluationRuleId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<EvaluationRule> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: `/api/public/v2/evaluation-rules/${encodeURIComponent(evaluationRuleId)}`, errors: evaluationErrors },
      requestOptions,
    )
  }

  /** List evaluation rules, newest first. */
  list(request: ListEvaluationRulesRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<EvaluationRulesPage> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/v2/evaluation-rules', query: { ...request }, errors: evaluationErrors },
      requestOptions,
    )
  }

  /** Change an evaluation rule. */
  update(evaluationRuleId: string, request: UpdateEvaluationRuleRequest, requestOptions?: RequestOptions): HttpResponsePromise<EvaluationRule> {
    return sendApiRequest(
      this.options,
      { method: 'PATCH', path: `/api/public/v2/evaluation-rules/${encodeURIComponent(evaluationRuleId)}`, body: request, errors: evaluationErrors },
      requestOptions,
    )
  }
}
