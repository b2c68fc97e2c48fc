// Renders legacy reads in a worker thread, because rows can be large.
import type { LegacyResponse } from '@svc-server/query/legacy'
import type { Dependencies } from '../../request/dependencies.ts'
import { JsonText, reply } from '../../request/handler.ts'

export async function rendered({ payloads }: Pick<Dependencies, 'payloads'>, projectId: string, response: LegacyResponse) {
  return reply(200, new JsonText(await payloads.render({ kind: 'legacy', response }, projectId)))
}
