// Renders responses of the legacy reads: rows with clients' inputs and outputs become JSON in a thread if they are large.
import type { LegacyResponse } from '@svc-server/query/legacy'
import type { Dependencies } from '../../request/dependencies.ts'
import { JsonText, reply } from '../../request/handler.ts'

export async function rendered(
  { payloads }: Pick<Dependencies, 'payloads'>,
  projectId: string,
  response: LegacyResponse,
  headers: Readonly<Record<string, string>> = {},
) {
  return reply(200, new JsonText(await payloads.render({ kind: 'legacy', response }, projectId)), headers)
}
