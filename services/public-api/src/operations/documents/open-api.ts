// GET /api/public/openapi.json describes this release.
import * as documents from '@svc-server/api/documents/operations'
import { openApiDocument } from '@svc-server/api/openapi'
import { operations } from '@svc-server/api/operations'
import { handle, JsonText, reply } from '../../request/handler.ts'

/** All responses share these bytes. If the document were a string, each response would copy it. */
let bytes: Uint8Array | undefined

export const openApi = handle(documents.openApi, (_, { version }) => {
  bytes ??= Buffer.from(JSON.stringify(openApiDocument(operations, version)))
  return reply(200, new JsonText(bytes))
})
