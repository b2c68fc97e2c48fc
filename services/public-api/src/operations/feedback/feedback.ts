// Refuses feedback on the product, because nobody would receive it from a self-hosted installation (contract §18.13).
import * as feedback from '@svc-server/api/feedback/operations'
import { AppError } from '@svc-server/errors'
import { handle } from '../../request/handler.ts'

export const submit = handle(feedback.submit, () => {
  throw new AppError('conflict', 'This deployment has no recipient for feedback.')
})
