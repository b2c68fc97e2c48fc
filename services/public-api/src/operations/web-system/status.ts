// GET /api/ui/system/status: data about the installation that every signed-in person may see.
import { status } from '@svc-server/api/web-system/operations'
import { completenessPaths } from '@svc-server/stream/completeness'
import { handle, reply } from '../../request/handler.ts'

export const systemStatus = handle(status, async (_, deps) => {
  const [ofLog, ...paths] = await Promise.all([
    deps.logStatus(),
    ...completenessPaths.map(async path => ({ path, completeUntil: (await deps.completeUntil([path])) ?? null })),
  ])
  return reply(200, {
    ...{ version: deps.version, writeMode: deps.writeMode, at: new Date(deps.clock()).toISOString(), paths },
    ...{ backlog: ofLog && [...ofLog.backlog], deadLetters: ofLog?.deadLetters ?? null },
  })
})
