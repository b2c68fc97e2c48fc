// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type EmptyRequest, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { CreateScoreConfigRequest, GetScoreConfigsRequest, ScoreConfig, ScoreConfigs, UpdateScoreConfigRequest } from '../types/score-configs.ts'

export class ScoreConfigsClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Create a score configuration. */
  create(request: CreateScoreConfigRequest, requestOptions?: RequestOptions): HttpResponsePromise<ScoreConfig> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: '/api/public/score-configs', body: request, errors: standardErrors },
      requestOptions,
    )
  }

  /** List score configurations. */
  get(request: GetScoreConfigsRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<ScoreConfigs> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: '/api/public/score-configs', query: { ...request }, errors: standardErrors },
      requestOptions,
    )
  }

  /** Get a score configuration. */
  getById(configId: string, _request: EmptyRequest = {}, requestOptions?: RequestOptions): HttpResponsePromise<ScoreConfig> {
    return sendApiRequest(
      this.options,
      { method: 'GET', path: `/api/public/score-configs/${encodeURIComponent(configId)}`, errors: standardErrors },
      requestOptions,
    )
  }

  /** Change or archive a score configuration. */
  update(configId: string, request: UpdateScoreConfigRequest, requestOptions?: RequestOptions): HttpResponsePromise<ScoreConfig> {
    return sendApiRequest(
      this.options,
      { method: 'PATCH', path: `/api/public/score-configs/${encodeURIComponent(configId)}`, body: request, errors: standardErrors },
      requestOptions,
    )
  }
}
