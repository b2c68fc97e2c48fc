// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
import { feedbackErrors } from '../../core/errors.ts'
import { type ApiClientOptions, type HttpResponsePromise, type RequestOptions, sendApiRequest } from '../../core/request.ts'
import type { SubmitFeedbackRequest, SubmitFeedbackResponse } from '../types/feedback.ts'

export class FeedbackClient {
  private readonly options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.options = options
  }

  /** Send feedback on the product. */
  submit(request: SubmitFeedbackRequest, requestOptions?: RequestOptions): HttpResponsePromise<SubmitFeedbackResponse> {
    return sendApiRequest(
      this.options,
      { method: 'POST', path: '/api/public/feedback', body: request, errors: feedbackErrors },
      requestOptions,
    )
  }
}
