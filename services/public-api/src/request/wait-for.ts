// A read with `?waitFor=<x-svc-ingest-id>` waits until the data with this ingest id is readable.

import { createFairPlaces } from '@svc-server/fairness/places'
import type { IngestIds } from '@svc-server/stream/ingest-id'
import type { WaitUntilReadable } from '@svc-server/stream/readable'
import { InvalidBody } from '../validation/invalid-body.ts'
import { refused } from '../validation/refusals.ts'

/**
 * Limits the requests with `waitFor`, because each request occupies a connection and a timer. At most 200 requests wait for their data at
 * the same time, at most 20 of them for one project. 20 more requests of a project can be in the queue. Further requests get 429.
 */
const waits = { places: 200, mostOfOne: 20, mostWaiting: 20 }

const timeoutMs = 10_000

export interface WaitForOptions {
  readonly ingestIds: IngestIds
  readonly waitUntilReadable: WaitUntilReadable
}

/** Resolves with the response header: `readable`, or `pending` after the time limit. */
export type WaitFor = (owner: string, id: string, signal: AbortSignal) => Promise<Readonly<Record<string, string>>>

/** Throws InvalidBody for an invalid id, and `overloaded` when too many requests of this owner wait. */
export function createWaitFor({ ingestIds, waitUntilReadable }: WaitForOptions): WaitFor {
  const places = createFairPlaces(waits)

  return async (owner, id, signal) => {
    const awaited = ingestIds.open(owner, id)
    if (awaited === undefined) {
      throw new InvalidBody(
        refused('Not an ingest id of this project: send the x-svc-ingest-id of a response to the same project.', ['waitFor']),
      )
    }
    const isReadable = await places.run(owner, () => waitUntilReadable(awaited, { timeoutMs, signal }))
    return { 'x-svc-waited-for': isReadable ? 'readable' : 'pending' }
  }
}
