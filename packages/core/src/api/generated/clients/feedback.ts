// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { type ApiErrorClasses, FeedbackNotConfiguredError, standardErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { SubmitFeedbackRequest, SubmitFeedbackResponse } from '../types/feedback.ts'

const errors: ApiErrorClasses = { ...standardErrors, 409: FeedbackNotConfiguredError }

export class FeedbackClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Send feedback on the product. */
  submit(request: SubmitFeedbackRequest, requestOptions?: RequestOptions): HttpResponsePromise<SubmitFeedbackResponse> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: '/api/public/feedback', body: request, errors },
      requestOptions,
    )
  }
}
