// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type EmptyRequest, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { CreateScoreRequest } from '../types/commons.ts'
import type { CreateScoresResponse, GetScoresV3Request, GetScoresV3Response } from '../types/scores.ts'

export class ScoresClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Create scores; each score is accepted or rejected separately. */
  create(request: CreateScoreRequest[], requestOptions?: RequestOptions): HttpResponsePromise<CreateScoresResponse> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: '/api/public/scores', body: request, errors: standardErrors },
      requestOptions,
    )
  }

  /** Delete a score. */
  delete(scoreId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<void> {
    return sendApiRequest(
      this.options,
      { method: 'DELETE', path: `/api/public/scores/${encodeURIComponent(scoreId)}`, errors: standardErrors },
      requestOptions,
    )
  }

  /** List scores by filters, newest first. */
  getMany(request: GetScoresV3Request = {}, requestOptions?: RequestOptions): HttpResponsePromise<GetScoresV3Response> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/v3/scores', query: { ...request }, errors: standardErrors },
      requestOptions,
    )
  }
}
