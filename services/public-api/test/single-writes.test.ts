// Bodies of the single routes of the legacy API are read where batches are: large ones in a thread.
import { afterAll, expect, test } from 'vitest'
import type { BodyRequest } from '../src/http/endpoint.ts'
import { legacyWriteRoutes } from '../src/routes/legacy-writes.ts'
import type { RouteTools } from '../src/routes/tools.ts'
import { legacyWrites } from '../src/schemas/legacy.ts'
import type { Job } from '../src/work/plan.ts'
import { createPlanner, type Planner } from '../src/work/planner.ts'
import { acceptance, window } from './acceptance.ts'

const planner = createPlanner(1)
afterAll(() => planner.stop())

/** A body in memory of its own, which can go to a thread. */
const bodyOf = (value: unknown) => {
  const text = Buffer.from(JSON.stringify(value))
  return new Uint8Array(new Uint8Array(text).buffer)
}
const large = 'x'.repeat(70_000)

test('every route hands its body to the planner', async () => {
  const jobs: Job[] = []
  const stopped = new Error('planned')
  const plan: Planner['plan'] = async job => {
    jobs.push(job)
    throw stopped
  }
  const tools = { writeMode: 'dual', planner: { plan }, acceptanceOf: () => acceptance, windowAt: () => window }
  for (const route of legacyWriteRoutes(tools as unknown as RouteTools)) {
    const request = { body: bodyOf({ id: 'a', spanId: 'a', generationId: 'a' }) } as BodyRequest
    await expect((route.answer as (request: BodyRequest) => Promise<unknown>)(request)).rejects.toBe(stopped)
  }
  expect(jobs).toMatchObject(legacyWrites.map((_, route) => ({ kind: 'write', route })))
})

test.for(legacyWrites.map((route, at) => [`${route.method} ${route.path}`, at] as const))('%s in a thread', async ([, route]) => {
  const body = bodyOf({ id: 'a', spanId: 'a', generationId: 'a', traceId: 't', metadata: large })
  const planned = await planner.plan({ kind: 'write', body, route, acceptance, window }, 'p')
  expect(body.byteLength).toBe(0)
  expect(planned).toMatchObject({ id: 'a', outcomes: [{ kind: 'record' }] })
})

test('a large body that is wrong is refused by the thread, which goes on', async () => {
  const body = bodyOf({ tags: [0], metadata: large })
  const refused = planner.plan({ kind: 'write', body, route: 0, acceptance, window }, 'p')
  await expect(refused).rejects.toMatchObject({
    issues: [{ path: ['tags', 0], message: 'Invalid input: expected string, received number' }],
  })
  const next = bodyOf({ metadata: large })
  expect(await planner.plan({ kind: 'write', body: next, route: 1, acceptance, window }, 'p')).toMatchObject({
    outcomes: [{ kind: 'record' }, { kind: 'record' }],
  })
})
