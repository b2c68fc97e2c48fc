import { maxFeedbackBytes } from '../fields/limits.ts'
import { operation } from '../operation.ts'
import { SubmitFeedbackRequest, SubmitFeedbackResponse } from './types.ts'

export const submit = operation({
  id: 'feedback.submit',
  method: 'POST',
  path: '/api/public/feedback',
  auth: 'project',
  body: SubmitFeedbackRequest,
  maxBodyBytes: maxFeedbackBytes,
  responses: { 201: SubmitFeedbackResponse },
  errors: ['conflict'],
  bucket: 'feedback',
  summary: 'Send feedback on the product.',
})
