// Operations that serve the description of the API, as JSON for programs and as HTML for people.
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
  summary: 'Get this description of the API as OpenAPI 3.1.',
})

export const docs = operation({
  id: 'documents.docs',
  method: 'GET',
  path: '/api/public/docs',
  auth: 'open',
  // An HTML page.
  responses: { 200: null },
  bucket: 'none',
  surface: 'private',
  summary: 'Read the OpenAPI description of this API as an HTML page.',
})

export const docsAsset = operation({
  id: 'documents.docsAsset',
  method: 'GET',
  path: '/api/public/docs/{asset}',
  auth: 'open',
  responses: { 200: null },
  bucket: 'none',
  surface: 'private',
  summary: 'Get a script or a style sheet of the page at /api/public/docs.',
})
