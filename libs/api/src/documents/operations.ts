// The API's own description.
import { z } from 'zod'
import { recordOf } from '../fields/fields.ts'
import { operation } from '../operation.ts'

export const openApi = operation({
  id: 'documents.openApi',
  method: 'GET',
  path: '/api/public/openapi.json',
  auth: 'open',
  responses: { 200: z.object({ openapi: z.string(), paths: recordOf(z.unknown()) }).loose() },
  bucket: 'none',
  surface: 'extra',
  summary: 'Get this description of the API, OpenAPI 3.1.',
})
