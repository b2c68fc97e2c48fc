// POST and PATCH of single traces, spans, generations and events (public-api-legacy.md §§4.2, 4.3): each is
// one event of the legacy API.
import { InvalidBody } from '../events/invalid-body.ts'
import { refused } from '../events/refusals.ts'
import { json } from '../http/answers.ts'
import type { BodyRequest, Endpoint } from '../http/endpoint.ts'
import { maxBodyBytes } from '../limits.ts'
import { legacyWrites } from '../schemas/legacy.ts'
import { createAccept } from './accept.ts'
import type { RouteTools } from './tools.ts'

export function legacyWriteRoutes(tools: RouteTools): readonly Endpoint[] {
  if (tools.writeMode === 'events_only') return []
  const accept = createAccept(tools)

  async function write(route: number, request: BodyRequest) {
    const acceptance = tools.acceptanceOf(request)
    const { projectId, receivedAtMs } = acceptance
    const window = tools.windowAt(receivedAtMs)
    const { id, outcomes } = await tools.planner.plan({ kind: 'write', body: request.body, route, acceptance, window }, projectId)
    const { errors } = await accept(request, acceptance, outcomes)
    const [error] = errors
    if (error === undefined) return json(200, { id })
    const text = error.error ?? error.message
    if (error.status === 400) throw new InvalidBody(refused(text, []))
    return json(error.status, { message: text, error: 'PayloadTooLargeError' })
  }

  return legacyWrites.map((route, at) => ({
    method: route.method,
    path: `/api/public${route.path}`,
    kind: 'body',
    access: 'project',
    maxBytes: maxBodyBytes,
    answer: request => write(at, request),
  }))
}
