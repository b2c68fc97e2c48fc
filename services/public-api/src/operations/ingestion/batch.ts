// POST /api/public/ingestion accepts batches of older SDKs (contract §4.4; contract §14.1).
import * as ingestion from '@svc-server/api/ingestion/operations'
import { handle, reply } from '../../request/handler.ts'
import { accept } from './accept.ts'

export const batch = handle(ingestion.batch, async (request, deps) => reply(207, await accept(request, request.body, deps)))
