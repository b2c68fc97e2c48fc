// POST /api/public/ingestion: batches of older SDKs (contract §4.4; ingestion.md §6.1).
import { sdkUpgrade } from '@svc-server/modes/sdk'
import { InvalidBody } from '../events/invalid-body.ts'
import { sentenceOf } from '../events/refusals.ts'
import { json } from '../http/answers.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { maxBatchBytes } from '../limits.ts'
import { createAccept } from './accept.ts'
import type { RouteTools } from './tools.ts'

export function ingestionRoutes(tools: RouteTools): readonly Endpoint[] {
  const accept = createAccept(tools)
  return [
    {
      method: 'POST',
      path: '/api/public/ingestion',
      kind: 'body',
      access: 'scores',
      maxBytes: maxBatchBytes,
      async answer(request) {
        const acceptance = tools.acceptanceOf(request)
        const { projectId, sdkName, sdkVersion, receivedAtMs } = acceptance
        const terms = {
          acceptance,
          scoresOnly: request.caller.scoresOnly,
          window: tools.windowAt(receivedAtMs),
          upgrade: sdkUpgrade(sdkName, sdkVersion),
        }
        try {
          const outcomes = await tools.planner.plan({ kind: 'batch', body: request.body, ...terms }, projectId)
          return json(207, await accept(request, acceptance, outcomes))
        } catch (error) {
          if (!(error instanceof InvalidBody)) throw error
          // Clients of this route know the texts, the others the issues.
          return json(400, { message: error.message, error: error.issues, errors: [sentenceOf(error.issues)] })
        }
      },
    },
  ]
}
