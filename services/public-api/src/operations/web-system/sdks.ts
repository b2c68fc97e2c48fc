// GET /api/ui/system/sdks returns which SDKs send data, and which of them must be upgraded.
import { sdks } from '@svc-server/api/web-system/operations'
import { sdkLines } from '@svc-server/sdk-usage/lines'
import { handle, reply } from '../../request/handler.ts'

const days = 7

export const systemSdks = handle(sdks, async (_, { columnStore, clock }) => {
  const since = new Date(clock() - (days - 1) * 86_400_000).toISOString().slice(0, 10)
  const lines = await sdkLines(columnStore, since, false)
  // Only operators may see projects.
  return reply(200, { since, sdks: lines.map(({ projects: _, projectIds: _ids, ...line }) => line) })
})
