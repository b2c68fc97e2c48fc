// POST and PATCH create and change single traces, spans, generations and events (contract §§20.2, 20.3). Each request becomes one event.
import * as legacy from '@svc-server/api/legacy/writes'
import type { Dependencies } from '../../request/dependencies.ts'
import { type Handler, handle, type ReplyOf, type RequestOf } from '../../request/handler.ts'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { refused } from '../../validation/refusals.ts'
import { accept } from '../ingestion/accept.ts'

type Write = (typeof legacy)[keyof typeof legacy]

async function write(request: RequestOf<Write>, deps: Dependencies): Promise<ReplyOf<Write>> {
  const { id, outcomes } = request.body
  const [error] = (await accept(request, outcomes, deps)).errors
  if (error === undefined) return { status: 200, body: { id } }
  const message = error.error ?? error.message
  if (error.status === 400) throw new InvalidBody(refused(message, []))
  return { status: 413, body: { message, error: 'PayloadTooLargeError' } }
}

export const legacyWrites: readonly Handler[] = Object.values(legacy).map(operation => handle<Write>(operation, write))
