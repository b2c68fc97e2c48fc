// POST and PATCH of single traces, spans, generations and events (public-api-legacy.md §§4.2, 4.3): each is
// one event of the legacy API.
import { randomUUID } from 'node:crypto'
import { parseJson } from '../events/batch.ts'
import { planEvent } from '../events/event.ts'
import { InvalidBody } from '../events/invalid-body.ts'
import { issuesOf, refused } from '../events/refusals.ts'
import { json } from '../http/answers.ts'
import type { BodyRequest, Endpoint } from '../http/endpoint.ts'
import { maxBodyBytes } from '../limits.ts'
import { type LegacyWrite, legacyWrites } from '../schemas/legacy.ts'
import { isSet } from '../schemas/score.ts'
import { createAccept } from './accept.ts'
import type { RouteTools } from './tools.ts'

type EventBody = Readonly<Record<string, unknown>>

export function legacyWriteRoutes(tools: RouteTools): readonly Endpoint[] {
  if (tools.writeMode === 'events_only') return []
  const accept = createAccept(tools)

  async function write(route: LegacyWrite, request: BodyRequest) {
    const parsed = route.body.safeParse(parseJson(request.body))
    if (!parsed.success) throw new InvalidBody(issuesOf(parsed.error))
    const acceptance = tools.acceptanceOf(request)
    const timestamp = new Date(acceptance.receivedAtMs).toISOString()
    const terms = { acceptance, scoresOnly: false, window: tools.windowAt(acceptance.receivedAtMs) }
    const given = route.bodyOf(parsed.data as EventBody)
    const id = isSet(given['id'] as string | null | undefined) ? (given['id'] as string) : randomUUID()
    const trace = missingTrace(route, given)
    const outcomes = [
      ...(trace === undefined ? [] : [planEvent({ id: randomUUID(), timestamp, type: 'trace-create', body: { id: trace } }, terms)]),
      planEvent(
        { id: randomUUID(), timestamp, type: route.type, body: { ...given, id, ...(trace !== undefined && { traceId: trace }) } },
        terms,
      ),
    ]
    const { errors } = await accept(request, acceptance, outcomes.some(({ kind }) => kind === 'refused') ? outcomes.slice(-1) : outcomes)
    const [error] = errors
    if (error === undefined) return json(200, { id })
    const text = error.error ?? error.message
    if (error.status === 400) throw new InvalidBody(refused(text, []))
    return json(error.status, { message: text, error: 'PayloadTooLargeError' })
  }

  return legacyWrites.map(route => ({
    method: route.method,
    path: `/api/public${route.path}`,
    kind: 'body',
    access: 'project',
    maxBytes: maxBodyBytes,
    answer: request => write(route, request),
  }))
}

/** What is made without a trace gets one. An update has the trace of what it updates. */
const missingTrace = ({ method, type }: LegacyWrite, body: EventBody): string | undefined =>
  method === 'POST' && type !== 'trace-create' && !isSet(body['traceId'] as string | null | undefined) ? randomUUID() : undefined
